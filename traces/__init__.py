"""Readers, writer, recorder and recorded logs: from logs to events and back."""
