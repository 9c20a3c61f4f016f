"""Rules on what brokers do with their replicas."""
