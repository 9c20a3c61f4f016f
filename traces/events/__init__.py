"""Lines of text to events and back, one line at a time."""
