"""The engines: explore, prove, audit; reports; the command line."""

INTERRUPTED = "Interrupted: nothing is decided."  # what an interrupted command says; its exit code is then 3
