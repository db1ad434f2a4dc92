"""Knowledge: the named things that memories are about, their aliases, and what mentions them."""
