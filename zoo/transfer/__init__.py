"""Transfer learning: classifiers of one's own, from features of pretrained models."""
