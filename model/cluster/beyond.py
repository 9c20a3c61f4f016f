"""Known bugs of this half of Kafka that the model cannot express, and why; nothing here shows that they are absent.

From the issues that an auditor can see; those that the model does express are rows of expected.toml.
"""

BEYOND = (
    (
        "KAFKA-9769, KAFKA-12315",
        "an exception in the middle of a call, or while a request is handled: each is one step",
    ),
    ("KAFKA-13407", "the broker that creates /controller starts: an election that ends half-way is not a step"),
    (
        "KAFKA-12686, KAFKA-12751",
        "the answer to AlterIsr takes no time: a leader has it at once",
    ),
    ("KAFKA-7165", "only a controller's session ends while its broker runs"),
    (
        "KIP-101, KAFKA-6361, KAFKA-6857, KAFKA-6880, KAFKA-7128, KAFKA-7164, KAFKA-7415, KAFKA-9491, KAFKA-10706, "
        "KAFKA-13141, KAFKA-13207, KAFKA-14704",
        "the model has no logs and offsets; the replication models have them",
    ),
    ("KAFKA-7152, KAFKA-15221", "the model has no time: a follower may be behind, or caught up, whenever it runs"),
    ("KAFKA-7414, KAFKA-8346", "fetcher threads are not part of the state"),
    ("KAFKA-14190", "topics have no ids"),
    ("KAFKA-14296", "KRaft"),
)
