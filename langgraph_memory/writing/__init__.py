"""Writing: how single memories come to be, are corrected, hidden and brought back."""
