"""Output of Kafka's command line tools: the state of a cluster at one moment, as people paste it instead of logs."""
