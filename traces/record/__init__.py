"""Recording of a scenario on a real ZooKeeper and real Kafka brokers on loopback, with their logs and a manifest.

`run.record` does it all. A scenario (`scenarios/`) is a function over a `Story`, whose methods are the actions on a
cluster. The manifest's znodes come from ZooKeeper's own transaction log, so none is missed.
"""
