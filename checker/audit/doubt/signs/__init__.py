"""Signs of how a log was collected: each module looks for one kind of damage."""
