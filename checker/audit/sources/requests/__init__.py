"""Requests as brokers handle them, whole: from where one begins to where it ends."""
