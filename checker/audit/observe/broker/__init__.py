"""Observations of brokers' lines about their own replicas."""
