"""The relational steps that the audit is written in: a plain reading of rows, and NumPy columns."""
