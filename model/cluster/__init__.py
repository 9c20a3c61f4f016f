"""A whole cluster in ZooKeeper mode: ZooKeeper, brokers that die and come back, controllers that fail over."""
