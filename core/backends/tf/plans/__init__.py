"""Plans of the tf backend: steps of a program in functions of TensorFlow."""
