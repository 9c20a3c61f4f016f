"""Speed of `isrproof whatif` on generated metadata.

python -m benchmarks.whatif [--partitions N] [--brokers N] [--fail 2 | --restart all]
"""
