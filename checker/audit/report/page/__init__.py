"""What the page of `--format html` is made of: its template, its style and script, and what they show.

The template says what is read without a script: verdict, causes, findings, state machines, coverage. The script draws
the timeline and the partitions, from columns that stand in the page compressed.
"""
