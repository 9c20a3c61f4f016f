"""The audit: illegal events in the logs of a real cluster, with their places and causes."""
