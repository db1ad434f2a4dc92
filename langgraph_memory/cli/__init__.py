"""The command line, for people at a terminal and for scripts."""
