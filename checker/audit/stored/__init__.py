"""The event table: parsed events, and what is known of their files, as Parquet (docs/event-table.md)."""
