"""Live use: sources of frames, sessions that remember from frame to frame, and events."""
