"""The executor of converted graphs: dicts and arrays in, tensors out; it reads no files."""
