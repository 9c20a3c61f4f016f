"""Speed and memory of reading and judging metadata logs of any size.

python -m benchmarks.metadata --records 1000000
"""
