"""What Kafka does, as data: state machines, releases and behaviours, log lines, refusals."""
