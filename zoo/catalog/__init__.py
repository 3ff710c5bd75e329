"""Facts about pretrained models: entries, options, names, networks, labels, weight files."""
