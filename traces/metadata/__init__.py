"""KRaft's metadata log: segments, snapshots and the files beside them, read and written by the table of records."""
