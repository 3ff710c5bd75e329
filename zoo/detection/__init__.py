"""Object detection: what is where in a picture; its functions are in `zoo.detection.verbs`."""
