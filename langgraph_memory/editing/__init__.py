"""Editing: create, update and delete as tool calls, validated, repaired and never silently dropped."""
