"""What programs of continuous integration read: SARIF, JUnit's XML, GitHub's commands. Nothing here knows Kafka."""
