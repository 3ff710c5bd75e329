"""Every staged model against the outputs that reference implementations gave for the same input."""
