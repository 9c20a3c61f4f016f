"""How fast the audit is, and whether it finds what was planted: a generated cluster's TRACE log, read in three ways.

Run from the checkout: `.venv/bin/python -m benchmarks.audit --size 0.1` (GB; `--size 1 --size 4` for several).
With `--brokers` a second cluster's logs of each size are audited too, in which all brokers but the controllers write
what they do with each request: compare the time per GB.
"""
