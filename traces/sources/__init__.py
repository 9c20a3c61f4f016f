"""Sources of lines: the files of a user's PATHs, and their text."""
