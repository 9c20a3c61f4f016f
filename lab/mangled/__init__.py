"""Recordings as people collect them: each way of mangling one, and what an audit may say of the result."""
