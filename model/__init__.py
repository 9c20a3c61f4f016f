"""The language, and the machines and protocols of Kafka written in it."""
