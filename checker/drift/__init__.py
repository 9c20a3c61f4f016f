"""The drift gate: Kafka's source or jars against this project's tables, before a release is added and after.

`python -m isrproof.checker.drift PATH...` lists what Kafka has and the tables lack: types, versions and fields of
metadata records, levels of metadata.version, loggers that moved, lines that are new, changed or gone. Nothing of what
it reads is executed, and nothing is written.

* `sources` reads trees and jars, `tokens` and `classfile` take Java, Scala and class files apart.
* `templates` is what a call may print, `calls` has the calls of source files, `compiled` what class files show.
* `schemas` and `levels` have Kafka's records and levels, `read` all of that together.
* `matching` says whether a wording of ours could read a template; `records`, `loggers` and `lines` find the drift.
* `finding` and `report` are what comes of it, `command` the program.
"""
