"""The tasks: verbs, options, models and decoders, in a folder each."""
