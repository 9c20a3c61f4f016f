"""Observations of controllers' lines."""
