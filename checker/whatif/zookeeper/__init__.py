"""Plans for a cluster in ZooKeeper mode: model `cluster` from the state that the nodes' logs show last.

Logs show less than ZooKeeper has. A partition of which they do not show the replicas, the leader and the ISR is listed
as that, and the answer is *unknown* at best.
"""
