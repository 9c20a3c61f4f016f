"""Records of the metadata log, one module for each thing that they are about: what a record changes in a fold."""
