"""Rules on what nodes of a KRaft cluster print: of the metadata quorum, and beside the metadata log."""
