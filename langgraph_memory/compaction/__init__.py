"""Compaction: a long conversation becomes a summary and its end, and nothing that was said is lost."""
