"""docs/event-table.md: parsed events as Parquet, and the columns that say where they stand."""

from __future__ import annotations

from ..audit.stored.schema import MEANING, VERSION
from . import spark_tables, table

PATH = "docs/event-table.md"
NEXT = "[Work on Spark](spark.md), with the same table"
_TABLES = spark_tables.PATH.rpartition("/")[2]
_TEXT = f"""# Parse once, audit many times

Made from `checker/audit/stored/schema.py` by `python -m isrproof.checker.pages`: change that, not this page.

`isrproof events` parses logs and writes what it found as a table. `isrproof audit TABLE` gives the same report as
from the logs, to the byte, without parsing them again: with other options (`--release`, `--partition`, `--lossy`),
or after the logs are gone.

```
isrproof events logs/ --out table                 # parse
isrproof audit table                              # audit, as often as you like
isrproof events logs/ --out table --append        # every night: only what is new is parsed
```

A table takes about a fifteenth of the text. `--append` parses a file once: it recognises a file by its name, size
and time, else by a hash of both ends of its text. So a log that was rotated, moved or compressed since is known; of
a log that grew the new version takes the place of the old one. A file that is gone stays in the table. If a batch
is interrupted, the table is as it was; the next one removes what was left.

**Several clusters.** With `--each` every PATH is a cluster; `--cluster-from 'logs/{{cluster}}/...'` names the
cluster of a file by its path. `isrproof audit table` then audits them side by side.

**KRaft.** The table has a copy of the files of metadata folders, as they are.

**What is left out.** Lines that bear on nothing are counted, and their text is not kept. So the page of a report
shows the line of a finding, and fewer of the lines around it.

**Versions.** This is version {VERSION} of the table. Another version is refused, with what to do. If a later
version of isrproof knows more wordings than the one that parsed the lines, the report has a note that says so.

## Query it

The events are Parquet files in `table/events/cluster=NAME/day=YYYY-MM-DD/`. Any engine reads them; `cluster` and
`day` become columns. A day is that of the time as printed.

```sql
-- DuckDB: the warnings and errors of each file, by wording
SELECT file, row, count(*) FROM read_parquet('table/events/**/*.parquet', hive_partitioning = true)
WHERE level IN ('WARN', 'ERROR') GROUP BY ALL ORDER BY 3 DESC LIMIT 10;
```

```python
# PySpark: each leader that a partition had
events = spark.read.parquet("table/events")
leaders = events.where("topic = 'orders' AND partition = 3 AND leader IS NOT NULL")
leaders.select("time", "leader", "isr", "file", "line").show()
```

Between the two moments at which a batch gives its files their names and replaces the manifest, such a reader may
see files that belong to no batch; `isrproof audit` does not.

## Columns

These say where an event stands. All others are fields of an event, as in [{_TABLES}]({_TABLES}): null
where the line does not print them.

"""


def write() -> str:
    """Return the page."""
    rows = [(f"`{name}`", meaning) for name, meaning in MEANING.items()]
    return _TEXT + "\n".join([*table(("column", "meaning"), rows), ""])
