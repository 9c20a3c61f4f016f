"""Doubt about what a log shows: signs that lines are missing or misplaced, and excuses of findings."""
