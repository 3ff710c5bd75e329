"""The classifier by nearest examples, its rows, labels and files."""
