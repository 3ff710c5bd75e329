"""From an image to a result: load, preprocess, run, decode, map back."""
