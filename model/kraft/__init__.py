"""KRaft's controller: registrations of brokers, and one partition as its changes make it.

Read `state.py`, then `change.py`, which is PartitionChangeBuilder, then the handlers.
"""
