"""The verbs of a memory, by what they do: write, read, keep."""
