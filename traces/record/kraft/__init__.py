"""Recording of clusters in KRaft mode: their logs, every node's metadata log, and Kafka's own dump of it."""
