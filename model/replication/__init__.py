"""Kafka's replication of one partition, in the variants that history tried.

Read `state.py`, then `base.py`, then the behaviour you want to know: each replaces only the actions that it changed.
The states and steps are those of the TLA+ modules of hachikuji/kafka-specification (d68782b), so that counts and
counterexamples can be compared; `ladder.py` and `later.py` put the variants together.
"""
