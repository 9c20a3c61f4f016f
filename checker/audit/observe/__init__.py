"""What rules look at: rows with a line, and with what came before it for the same entity.

A module in a folder of this package declares its observations as constants; they are discovered.
"""
