"""The tape, gradients, and the scopes that free tensors."""
