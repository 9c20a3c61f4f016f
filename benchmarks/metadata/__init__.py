"""Metadata logs of any size: how fast they are read and judged, and in how much memory.

python -m benchmarks.metadata --records 1000000
"""
