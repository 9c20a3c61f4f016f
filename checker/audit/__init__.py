"""The audit: what was illegal in the logs of a real cluster, where and why."""
