"""From events to histories: tenures of controllers and lives of clusters. histories.py lists the steps."""
