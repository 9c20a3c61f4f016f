"""The reports that are made from findings."""
