"""Encloses data for a prompt in a tag that the data itself cannot close, the same tag for the same data."""

from __future__ import annotations

import hashlib

from langgraph_memory.text.fence import neutralise


def enclose(name: str, body: str) -> str:
    """Return the body between `<name-digest>` tags on lines of their own.

    The digest is taken from the body, so no text can contain its own tag (it would have to know the digest of itself),
    and the prompt of the same conversation has the same bytes every time. Role tags inside are made harmless too.
    """
    safe = neutralise(body)
    tag = f"{name}-{hashlib.sha256(safe.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
    return f"<{tag}>\n{safe}\n</{tag}>"
