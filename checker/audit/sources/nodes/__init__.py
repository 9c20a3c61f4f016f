"""Observations of KRaft nodes' lines: about the metadata quorum, and about partitions beside the metadata log."""
