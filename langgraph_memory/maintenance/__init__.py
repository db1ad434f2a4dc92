"""Maintenance: what runs away from the conversation, and can be run again at any time."""
