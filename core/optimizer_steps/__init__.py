"""Steps of optimizers: what those of Keras and of TensorFlow.js have in common."""
