"""Sessions: what was said, in whatever shape it comes, recorded once."""
