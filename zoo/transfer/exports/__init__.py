"""Exports of taught models: for browsers, Teachable Machine's library and Keras."""
