"""The parts of the page of `--format html`: its template, its style and script, and their data.

The template shows what can be read without a script: verdict, causes, findings, state machines, coverage. The script
draws the timeline and the partitions, from compressed columns in the page.
"""
