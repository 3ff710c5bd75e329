"""Images of any source as RGB arrays."""
