"""A simulated cluster of any size, and the logs that its controllers and brokers write, with faults if asked for."""
