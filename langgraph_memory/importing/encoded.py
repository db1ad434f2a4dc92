"""The bytes of a file become text: UTF-8, UTF-16 or UTF-32 by their mark, and gzip unpacked."""

from __future__ import annotations

import codecs
import gzip
import io
import stat
import zlib
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

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


_Lines = Generator[tuple[int, str | UnicodeError], None, None]


class Damaged(Exception):
    """The packed data is damaged or cut off here; what came before it was read."""


class _Unpacked(io.RawIOBase):
    """A gzip file as far as it can be unpacked: where it is damaged or cut off, it ends, and `damage` says why."""

    def __init__(self, file: gzip.GzipFile) -> None:
        self._file = file
        self.damage: Damaged | None = None

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def readinto(self, buffer: Any) -> int:
        if self.damage is not None:
            return 0
        try:
            data = self._file.read1(len(buffer))
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            self.damage = Damaged(f"the gzip data is damaged or cut off: {' '.join(str(error).split())}")
            return 0
        buffer[: len(data)] = data
        return len(data)


def lines(path: Path) -> Iterator[tuple[int, str | UnicodeError | Damaged]]:
    """Yield 1-based line numbers with their text, or the error for a line that is not in the file's encoding.

    Where packed data is damaged or cut off, what is left of the last line comes as a line, and `Damaged` last.

    Raises:
        ImportFormatError: the file cannot be opened.
    """
    number = 1
    with _open(path) as file:
        encoding = _encoding(file)
        with closing(_narrow_lines(file) if encoding == "utf-8" else _wide_lines(file, encoding)) as found:
            for number, line in found:
                yield number, line
        damage = _damage(file)
    if damage is not None:
        yield number, damage


def first_line(path: Path) -> str:
    """Return the first line that is not blank, without the blanks around it.

    Raises:
        ImportFormatError: the file does not exist, cannot be opened, or holds nothing.
    """
    for _, line in lines(path):
        if isinstance(line, UnicodeError):
            return ""
        if isinstance(line, Damaged):
            raise ImportFormatError(f"{path}: {line}. Nothing of it could be read; copy the file again.")
        if line.strip():
            return line.strip() if len(line) <= _FIRST_LINE else line.lstrip()[:_FIRST_LINE]
    raise ImportFormatError(f"{path}: the file is empty. Check that it was written and copied completely.")


def has_more_lines(path: Path) -> bool:
    """Say whether more than one line is not blank."""
    found = 0
    for _, line in lines(path):
        found += isinstance(line, UnicodeError) or (isinstance(line, str) and bool(line.strip()))
        if found > 1:
            return True
    return False


def whole_text(path: Path) -> tuple[str, Damaged | None]:
    """Return the file's text, as far as packed data could be unpacked, and what was wrong with that.

    Bytes that are no UTF-8 stay as lone surrogates U+DC80 to U+DCFF; a character cut off at the end is left out.

    Raises:
        ImportFormatError: the file cannot be opened, or is broken UTF-16 or UTF-32.
    """
    with _open(path) as file:
        encoding = _encoding(file)
        raw = file.read()
        damage = _damage(file)
    decoder = codecs.getincrementaldecoder(encoding)("surrogateescape" if encoding == "utf-8" else "strict")
    try:
        return decoder.decode(raw, final=encoding == "utf-8").removeprefix("\ufeff"), damage
    except UnicodeDecodeError as error:
        raise ImportFormatError(
            f"{path}: it is marked as {encoding}, but byte {error.start} is not. Save it as UTF-8 and try again."
        ) from None


def _narrow_lines(file: BinaryIO) -> _Lines:
    for number, raw in enumerate(file, 1):
        try:
            yield number, raw.removeprefix(codecs.BOM_UTF8 if number == 1 else b"").decode("utf-8")
        except UnicodeDecodeError as error:
            yield number, error


def _wide_lines(file: BinaryIO, encoding: str) -> _Lines:
    number = 0
    text = io.TextIOWrapper(file, encoding, newline="\n")
    try:
        for number, line in enumerate(text, 1):
            yield number, line.removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        # The decoder works in blocks, so the lines of this block are lost with the broken one.
        yield number + 1, error
    finally:
        text.detach()


@contextmanager
def _open(path: Path) -> Iterator[BinaryIO]:
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):  # a pipe may never begin, a device never end
            raise ImportFormatError(f"{path}: this is no regular file but a pipe or a device. Save it to a file first.")
        with path.open("rb") as file:
            start = file.read(4)
            file.seek(0)
            if start == _ZIP:
                raise ImportFormatError(
                    f"{path}: this is a zip archive. Unpack it and give the conversations file that is inside, "
                    "usually conversations.json."
                )
            if start.startswith(_GZIP):
                with gzip.GzipFile(fileobj=file) as unpacked:
                    yield io.BufferedReader(_Unpacked(unpacked))
            else:
                yield file
    except FileNotFoundError:
        raise ImportFormatError(f"{path}: there is no such file.") from None
    except IsADirectoryError:
        raise ImportFormatError(f"{path}: this is a folder. Give the conversation file that is inside.") from None
    except OSError as error:
        raise ImportFormatError(f"{path}: the file cannot be read: {error.strerror or error}.") from None


def _damage(file: BinaryIO) -> Damaged | None:
    raw = getattr(file, "raw", None)
    return raw.damage if isinstance(raw, _Unpacked) else None


def _encoding(file: BinaryIO) -> str:
    start = file.read(4)
    file.seek(0)
    return next((name for mark, name in _MARKS if start.startswith(mark)), "utf-8")
