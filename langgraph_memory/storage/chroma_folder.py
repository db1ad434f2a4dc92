"""Which Chroma folder is the current one, and what it was built for: a small file beside it says."""

from __future__ import annotations

import json
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

FORMAT = "chroma-1.5"
"""Written beside the folder; an index in another format is set aside and rebuilt, never opened."""

_ASIDE = "chroma-set-aside"


@dataclass(frozen=True, slots=True)
class Stamp:
    """What an index was built for; anything else is foreign."""

    store_id: str
    model: str
    dimension: int


def read_pointer(root: Path) -> tuple[str, Stamp] | None:
    """Return the current folder's name and stamp, or None where there is none that we can read."""
    try:
        data = json.loads((root / "current.json").read_text(encoding="utf-8"))
        if data["format"] != FORMAT:
            return None
        return str(data["folder"]), Stamp(str(data["store_id"]), str(data["model"]), int(data["dimension"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def write_pointer(root: Path, folder: str, stamp: Stamp) -> None:
    """Make this folder the current one; a crash leaves either the old pointer or the new one."""
    data = {
        "format": FORMAT,
        "folder": folder,
        "store_id": stamp.store_id,
        "model": stamp.model,
        "dimension": stamp.dimension,
    }
    draft = root / "current.json.new"
    draft.write_text(json.dumps(data), encoding="utf-8")
    draft.replace(root / "current.json")


def set_aside_all(root: Path) -> None:
    """Move every Chroma folder out of the way of a new one."""
    for old in root.glob("chroma-*"):
        if old.is_dir() and old.name != _ASIDE:
            _set_aside(old)


def destroy_all(root: Path) -> None:
    """Delete every Chroma folder, the one set aside too: Chroma keeps what was deleted in its log and its vectors.

    Raises:
        OSError: one cannot be deleted.
    """
    for old in root.glob("chroma-*"):
        if old.is_dir():
            shutil.rmtree(old)


def _set_aside(folder: Path) -> None:
    """Keep the last unusable index for whoever wants to look, and only the last."""
    aside = folder.parent / _ASIDE
    shutil.rmtree(aside, ignore_errors=True)
    with suppress(OSError):
        folder.rename(aside)
