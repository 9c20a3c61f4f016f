"""The engines: explore, prove, audit; reports; the command line."""
