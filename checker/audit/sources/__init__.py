"""Sources of rows other than lines about partitions: whole requests, nodes' lines, metadata logs.

Each returns rows by input, counts of rows that fit, and notes; none judges.
"""
