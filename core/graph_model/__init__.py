"""Models: a graph with its weights, called by the names of its inputs and outputs."""
