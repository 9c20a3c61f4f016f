"""What happened to a cluster, beside any verdict: from the same lines, histories and records that rules are about."""
