"""The drift gate: compares Kafka's source or jars with this project's tables, before and after a release is added.

`python -m isrproof.checker.drift PATH...` lists what Kafka has and the tables lack: types, versions and fields of
metadata records, levels of metadata.version, loggers that moved, lines that are new, changed or gone. It executes
nothing that it reads, and writes nothing.

* `sources` reads trees and jars; `tokens` and `classfile` parse Java, Scala and class files.
* `templates` is what a call may print, `calls` has the calls of source files, `compiled` what class files show.
* `schemas` and `levels` have Kafka's records and levels; `read` is all of that together.
* `matching` decides whether a wording of ours could read a template; `records`, `loggers` and `lines` find the drift.
* `finding` and `report` are the result, `command` the program.
"""
