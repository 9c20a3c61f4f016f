"""Kafka's behaviour as data: state machines, releases and behaviours, log lines, refusals."""
