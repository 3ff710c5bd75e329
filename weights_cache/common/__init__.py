"""What all three packages use: errors, messages, similar names, sizes, optional dependencies."""
