"""The explorer: every reachable state of an instance of a model, breadth first, exactly.

`explore()` in `run.py` is the way in. An instance is flattened to scalar cells and scalar expressions (`packing.py`,
`scalars.py`, `flatten.py`, `program.py`), written out as NumPy source (`generate.py`; large moves apart, `apart.py`;
for long searches of narrow levels also as plain Python, `narrow.py`; what both share is in `source.py`), and searched
with an exact hash table of packed states (`search.py`, `table.py`). What is found (`result.py`) is executed again by
the reference reading (`trace.py`).
"""
