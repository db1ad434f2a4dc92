"""The bytes of a file become text: UTF-8, UTF-16 or UTF-32 by their mark, and gzip unpacked."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, cast

from langgraph_memory.errors import ImportFormatError

_MARKS = (  # UTF-32 first: its little-endian mark begins with that of UTF-16
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_GZIP = b"\x1f\x8b"
_ZIP = b"PK\x03\x04"
_FIRST_LINE = 1 << 20  # characters of a first line that are looked at; a longer one is a whole document anyway


def lines(path: Path) -> Iterator[tuple[int, str | UnicodeError]]:
    """Yield 1-based line numbers with their text, or the error for a line that is not in the file's encoding.

    Raises:
        ImportFormatError: the file cannot be opened or unpacked.
    """
    with _open(path) as file:
        encoding = _encoding(file)
        if encoding != "utf-8":
            yield from _wide_lines(file, encoding)
            return
        for number, raw in enumerate(file, 1):
            try:
                yield number, raw.removeprefix(codecs.BOM_UTF8 if number == 1 else b"").decode("utf-8")
            except UnicodeDecodeError as error:
                yield number, error


def first_line(path: Path) -> str:
    """Return the first line that is not blank, without the blanks around it.

    Raises:
        ImportFormatError: the file does not exist, cannot be opened, or holds nothing.
    """
    for _, line in lines(path):
        if isinstance(line, UnicodeError):
            return ""
        if line.strip():
            return line.strip() if len(line) <= _FIRST_LINE else line.lstrip()[:_FIRST_LINE]
    raise ImportFormatError(f"{path}: the file is empty. Check that it was written and copied completely.")


def has_more_lines(path: Path) -> bool:
    """Say whether more than one line is not blank."""
    found = 0
    for _, line in lines(path):
        found += isinstance(line, UnicodeError) or bool(line.strip())
        if found > 1:
            return True
    return False


def whole_text(path: Path) -> str:
    """Return the file's text. Bytes that are no UTF-8 stay as lone surrogates U+DC80 to U+DCFF.

    Raises:
        ImportFormatError: the file cannot be opened or unpacked, or is broken UTF-16 or UTF-32.
    """
    with _open(path) as file:
        encoding = _encoding(file)
        raw = file.read()
    try:
        return raw.decode(encoding, "surrogateescape" if encoding == "utf-8" else "strict").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise ImportFormatError(
            f"{path}: it is marked as {encoding}, but byte {error.start} is not. Save it as UTF-8 and try again."
        ) from None


def _wide_lines(file: BinaryIO, encoding: str) -> Iterator[tuple[int, str | UnicodeError]]:
    number = 0
    try:
        with io.TextIOWrapper(file, encoding, newline="\n") as text:
            for number, line in enumerate(text, 1):
                yield number, line.removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        # The decoder works in blocks, so the lines of this block are lost with the broken one.
        yield number + 1, error


@contextmanager
def _open(path: Path) -> Iterator[BinaryIO]:
    try:
        with path.open("rb") as file:
            start = file.read(4)
            file.seek(0)
            if start == _ZIP:
                raise ImportFormatError(
                    f"{path}: this is a zip archive. Unpack it and give the conversations file that is inside, "
                    "usually conversations.json."
                )
            if start.startswith(_GZIP):
                with gzip.open(file) as unpacked:
                    yield cast(BinaryIO, unpacked)
            else:
                yield file
    except FileNotFoundError:
        raise ImportFormatError(f"{path}: there is no such file.") from None
    except IsADirectoryError:
        raise ImportFormatError(f"{path}: this is a folder. Give the conversation file that is inside.") from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ImportFormatError(f"{path}: the gzip data is damaged or cut off: {error}.") from None
    except OSError as error:
        raise ImportFormatError(f"{path}: the file cannot be read: {error.strerror or error}.") from None


def _encoding(file: BinaryIO) -> str:
    start = file.read(4)
    file.seek(0)
    return next((name for mark, name in _MARKS if start.startswith(mark)), "utf-8")
