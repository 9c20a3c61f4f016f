"""Where lines come from: files of a user's PATHs, and their text."""
