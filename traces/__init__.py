"""From logs to events and back: readers, writer, recorder, recorded logs."""
