"""Hands: the functions are in `zoo.hands.verbs`, the models in `zoo.hands.entries`."""
