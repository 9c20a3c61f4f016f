"""From files to events, and what is counted of their lines."""
