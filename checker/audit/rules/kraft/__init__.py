"""Rules on the metadata log of KRaft."""
