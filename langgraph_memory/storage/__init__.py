"""Storage: SQL holds the truth; the text index, the vectors and Chroma are derived from it."""
