"""Whole requests as brokers handle them, from begin to end."""
