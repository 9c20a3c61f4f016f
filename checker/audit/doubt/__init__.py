"""What a log cannot vouch for: signs that lines are missing or misplaced, and excuses of findings."""
