"""What the metadata log of KRaft shows: its records applied in order, and rows with the state before and after each."""
