"""Measures how well recall finds what a data set names as evidence."""
