"""KRaft's metadata log: segments, snapshots and what lies beside them, read and written by the table of records."""
