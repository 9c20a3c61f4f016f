"""What nodes of a KRaft cluster print of the metadata quorum, and of partitions beside the metadata log."""
