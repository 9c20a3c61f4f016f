"""From a file in any envelope and layout to the lines that Kafka printed, by writer, in order."""
