"""Functions between layers, of Keras 3 and of TFOpLambda, by the names of their classes."""
