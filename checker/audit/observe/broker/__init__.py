"""Observations of what brokers write of their own replicas."""
