"""Lines of text to events and back: one line in, what it says out."""
