"""Pictures of Kafka's state machines, made from the tables of specs/machines.

`drawing` decides what is in a picture; `dot`, `mermaid` and `svg` write it, in the colours of `style`; `counts` reads
what an audit saw; `facts` says in words what the picture implies. State graphs of models are written by them, too.
"""
