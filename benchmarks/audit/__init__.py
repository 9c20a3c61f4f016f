"""Speed of the audit, and its findings in a generated cluster's TRACE log with planted faults, read in three ways.

Run from the checkout: `.venv/bin/python -m benchmarks.audit --size 0.1` (GB; `--size 1 --size 4` for several). With
`--brokers`, logs of a second cluster of each size are audited, too, in which all brokers but the controllers write how
they handle each request: compare the time per GB.
"""
