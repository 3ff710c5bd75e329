"""Results as JSON, CSV, data frames, and text for people."""
