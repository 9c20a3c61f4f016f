"""Careless and hostile input: recordings that are damaged in many kinds of ways, and what an audit may say of them."""
