"""Advice to an operator: an upgrade, and the steps before it, from what happened and what was found."""
