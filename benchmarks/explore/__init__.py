"""Speed of the explorer: whole processes from start to exit, on one core.

    python -m benchmarks.explore [--large] [--rounds 3]

A row is one `isrproof explore ... --json`: its goal, its cost (medians of the rounds), and the floor that nothing can
go below: the same Python that only imports NumPy, measured right beside it. CPU seconds are those of the operating
system. On a busy machine these grow, too, and the floor with them, so the ratio to the floor compares machines.
"""
