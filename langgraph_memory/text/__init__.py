"""Text as memory needs it: equal texts hash alike, every script is searchable, and recalled text stays in its fence."""
