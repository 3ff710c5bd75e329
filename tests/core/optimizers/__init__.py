"""Tests of Keras's optimizers, and of schedules of learning rates."""
