"""Observations of what controllers write."""
