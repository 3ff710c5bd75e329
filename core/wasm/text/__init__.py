"""The text format of modules (.wat), printed and parsed."""
