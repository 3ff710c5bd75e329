"""Whether types and indices of a module fit each other, as the specification says."""
