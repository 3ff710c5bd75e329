"""Configurations and documents in Keras's form, for all rooms with Keras's names."""
