"""Classification: what a picture shows; its functions are in `zoo.classification.verbs`."""
