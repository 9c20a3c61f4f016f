"""Rules on what controllers write."""
