"""The vocabulary of results: the kinds of dicts, and live moments."""
