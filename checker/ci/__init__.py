"""Formats of continuous integration: SARIF, JUnit's XML, GitHub's commands. Nothing here knows Kafka."""
