"""Proofs with Z3: the rules of model/, for every log length, every epoch and any number of replicas.

Read `reading.py` first (what an expression means to the solver), then `induction.py` (what is asked of it).
"""
