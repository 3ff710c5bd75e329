"""Gestures of hands: rules over the curl and direction of fingers, and a small network."""
