"""Reports, made from findings."""
