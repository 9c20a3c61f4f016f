"""From events to histories: tenures of controllers and lives of clusters. histories.py names the steps."""
