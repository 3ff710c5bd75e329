"""The compiler of inference plans: simplified programs for known shapes, with their memory."""
