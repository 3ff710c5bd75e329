"""The dialects of Keras 3, Keras 2 and TensorFlow.js, and translation between them."""
