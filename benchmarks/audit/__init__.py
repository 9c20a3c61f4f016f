"""How fast the audit is, and whether it finds what was planted: a generated cluster's TRACE log, read in three ways.

Run from the checkout: `.venv/bin/python -m benchmarks.audit --size 0.1` (GB; `--size 1 --size 4` for several).
"""
