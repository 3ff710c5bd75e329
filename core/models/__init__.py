"""Models of layers: Sequential and functional ones, training, evaluation, saving."""
