"""Flows: what happens from a question to an answer, and from a file to memories, step by step."""
