"""The results of the rules: findings with their evidence, counts of verdicts and moves, the states that logs show."""
