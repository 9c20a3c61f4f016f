"""Sources of rows beside lines about partitions: whole requests, what nodes print, metadata logs.

Each gives rows by input, counts of what fits, and notes; none judges.
"""
