"""Retrieval: pure arithmetic, from terms and vectors to ranked lines and a block of text."""
