"""Observations, the input of rules: rows with a line, and with earlier values of the same entity.

A module in a folder of this package declares its observations as constants; they are discovered.
"""
