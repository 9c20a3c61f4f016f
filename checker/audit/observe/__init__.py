"""What rules look at: a line, and what came before it for the same entity."""
