"""Cost of what `isrproof.spark` does, in CPU seconds per GB, beside Spark's bare count and DuckDB's one expression.

Run from the checkout: `.venv/bin/python -m benchmarks.spark --size 1 audit` (GB of a generated cluster's TRACE log);
`--size 0.02 events` compares the ways to make a DataFrame of events, `--size 0.1 shapes` the same bytes in few or many
files, and with most lines about one topic. The tables that it prints are those of docs/spark.md. DuckDB is not among
the project's requirements: `pip install duckdb`.
"""
