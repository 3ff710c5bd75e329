"""Networks as graphs: read from files with a topology, or built for a checkpoint's weights."""
