"""The metadata quorum of KRaft: who may lead an epoch, and what stays committed.

Read `state.py`, then `base.py`, then `kip996.py` and `kip853.py`. The base forgets what KIP-595 writes to disk, and
elects two leaders.
"""
