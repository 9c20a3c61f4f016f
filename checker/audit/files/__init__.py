"""From files to events, with counts of their lines."""
