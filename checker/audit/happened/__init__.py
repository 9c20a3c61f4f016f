"""The things that happened to a cluster, beside any verdict: from the lines, histories and records of rules."""
