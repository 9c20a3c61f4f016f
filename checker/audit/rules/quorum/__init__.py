"""Rules on the lines of a KRaft cluster's nodes: on the metadata quorum, and compared with the metadata log."""
