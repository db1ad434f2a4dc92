"""Every prompt is one Markdown file: front matter that says what it is for, then the text."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt as it stands in its file.

    Attributes:
        name: the file's name without its ending.
        role: where it goes: `note` inside a block, `tool` description, `system`, `user`.
        slots: names in braces that the caller fills.
        text: the prompt itself.
    """

    name: str
    role: str
    slots: tuple[str, ...]
    text: str


def load_prompt(name: str, folder: Path | None = None) -> Prompt:
    """Return a prompt, the one in `folder` where that has it, else the one that ships with the package.

    Raises:
        FileNotFoundError: neither has it.
        ValueError: its front matter is broken.
    """
    own = folder / f"{name}.md" if folder is not None else None
    if own is not None and own.is_file():
        source = own.read_text(encoding="utf-8")
    else:
        source = files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8")
    opening, _, rest = source.partition("---\n")
    front, closing, text = rest.partition("---\n")
    if opening.strip() or not closing:
        raise ValueError(f"The prompt {name} must begin with front matter between two lines of three dashes.")
    fields = dict(_field(name, line) for line in front.splitlines() if line.strip())
    return Prompt(name, fields.get("role", "system"), tuple(fields.get("slots", "").split()), text.strip())


def _field(name: str, line: str) -> tuple[str, str]:
    key, colon, value = line.partition(":")
    if not colon:
        raise ValueError(f"The prompt {name} has a line of front matter that is no `key: value`: {line!r}.")
    return key.strip(), value.strip()
