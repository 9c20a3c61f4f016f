"""Cost of `isrproof validate cluster` by the length of a log.

    python -m benchmarks.conformance --steps 300 --steps 1000

A random run of the model, of each of the lengths, writes a log at TRACE. The floor is the time to read its lines as
events. The goal is 30 seconds for 100,000 lines, at a cost that is linear in lines: the same time per line.
"""
