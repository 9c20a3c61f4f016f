"""Findings, and the reports that are made from them."""
