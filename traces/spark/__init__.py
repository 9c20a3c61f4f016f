"""The parser of traces/events as native Spark expressions."""
