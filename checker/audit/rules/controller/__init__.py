"""Rules on the lines that controllers write."""
