"""A real PostgreSQL server for the length of a test run, in a temporary folder, with a fresh database per test."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import uuid
from pathlib import Path
from typing import Any

USERS = ("postgres", "nobody")
"""PostgreSQL refuses to run as root; whom it runs as instead."""

OFF = ("fsync=off", "full_page_writes=off", "synchronous_commit=off")  # the machine will not lose power in a test


def server_programs() -> Path | None:
    """Return the folder that holds `initdb` and `postgres`, or None where they are not installed."""
    on_path = shutil.which("initdb")
    folders = [Path(on_path).resolve().parent] if on_path else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "initdb").exists() and (folder / "postgres").exists()), None)


class Server:
    """One running server; `create` gives the URL of an empty database in it."""

    def __init__(self, programs: Path) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="pg"))  # short: a socket's path has at most 107 characters
        self._user = _user()
        if self._user:
            shutil.chown(self.folder, self._user)
        data = self.folder / "data"
        self._run(programs / "initdb", "-D", data, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--no-sync",
                  "--no-locale")  # fmt: skip
        self.port = free_port()
        options = [f"port={self.port}", "listen_addresses=127.0.0.1", f"unix_socket_directories={self.folder}",
                   "max_connections=200", *OFF]  # fmt: skip
        self._log = (self.folder / "log").open("wb")
        self._process = subprocess.Popen(
            [programs / "postgres", "-D", data, *(word for option in options for word in ("-c", option))],
            stdout=self._log, stderr=self._log, cwd="/", **self._as_user(),
        )  # fmt: skip
        self._wait()

    def create(self) -> str:
        """Create a database and return its URL."""
        name = f"t{uuid.uuid4().hex[:12]}"
        self.execute(f"CREATE DATABASE {name}")
        return f"postgresql://postgres@127.0.0.1:{self.port}/{name}"

    def drop(self, url: str) -> None:
        """Remove a database, whoever is still connected to it."""
        self.execute(f"DROP DATABASE IF EXISTS {url.rpartition('/')[2]} WITH (FORCE)")

    def execute(self, statement: str, *, database: str = "postgres") -> None:
        """Run one statement outside of any transaction."""
        import psycopg

        with psycopg.connect(
            host="127.0.0.1", port=self.port, user="postgres", dbname=database, autocommit=True
        ) as connection:
            connection.execute(statement.encode())

    def stop(self) -> None:
        """End the server and remove its folder."""
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait(timeout=30)
        self._log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _wait(self) -> None:
        import psycopg

        for _ in range(300):
            if self._process.poll() is not None:
                break
            try:
                self.execute("SELECT 1")
                return
            except psycopg.OperationalError:
                time.sleep(0.1)
        raise RuntimeError(f"PostgreSQL did not start:\n{(self.folder / 'log').read_text()}")

    def _run(self, *command: Any) -> None:
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd="/", **self._as_user())
        if done.returncode:
            raise RuntimeError(f"{command[0]} failed:\n{done.stdout}\n{done.stderr}")

    def _as_user(self) -> dict[str, Any]:
        return {"user": self._user, "group": _group(self._user), "extra_groups": []} if self._user else {}


def free_port() -> int:
    """Return a port of the loopback interface that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _user() -> str | None:
    import pwd

    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return next(user for user in USERS if user in known)


def _group(user: str) -> int:
    import pwd

    return pwd.getpwnam(user).pw_gid
