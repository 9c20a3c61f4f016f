"""Observations of the KRaft metadata log: its records applied in order, and rows with the state before and after
each.
"""
