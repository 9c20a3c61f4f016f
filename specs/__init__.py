"""What Kafka does, as data: tables, releases and behaviours, log lines, rule texts."""
