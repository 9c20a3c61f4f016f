"""The chain of what explains something that happened, back to what nothing before explains."""
