"""Segmentation: its functions are in `zoo.segmentation.verbs`, its models in `.entries`."""
