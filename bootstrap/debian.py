# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""What KARMA needs from the operating system, and the Debian packages that bring it."""

from __future__ import annotations

import ctypes.util
import glob
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from bootstrap.place import THIS_PYTHON
from bootstrap.progress import Progress, SetupError, ToolError, is_root

BROWSER = "chromium-headless-shell"
LOCKED = re.compile(r"Could not get lock|Unable to lock|locked by another process")
"""How apt-get and dpkg say that another program is at it. apt's own option to wait does not cover its package lists."""
LOCK_TIMEOUT_S = 600.0
LOCK_POLL_S = 3.0


@dataclass(frozen=True)
class Need:
    """One thing that has to be there."""

    package: str
    """The Debian or Ubuntu package that brings it."""
    purpose: str
    present: Callable[[], bool]
    essential: bool = True
    """Without it nothing works; the others only cost a feature."""


def needs(python: str, *, building: bool = True) -> list[Need]:
    """Return what this machine should have; `python` is the interpreter for the virtual environment.

    Without `building`, where all packages of the workspace are built: a compiler is not needed any more.
    """
    version = python_version(python)
    compiler = [
        Need(f"python{version}-dev", "building karma_interfaces", lambda: _has_headers(python)),
        Need("cmake", "building karma_interfaces", lambda: shutil.which("cmake") is not None),
        Need("g++", "building karma_interfaces", lambda: shutil.which("g++") is not None),
        Need("ninja-build", "building karma_interfaces", lambda: shutil.which("ninja") is not None),
    ]
    return [
        Need(f"python{version}-venv", "the virtual environment", lambda: _runs(python, "import ensurepip, venv")),
        *(compiler if building else []),
        Need("util-linux", "ending the nodes with the command", lambda: shutil.which("setpriv") is not None),
        Need("libegl1", "rendering", lambda: _library("EGL"), essential=False),
        Need("libegl-mesa0", "rendering without a GPU", lambda: _library("EGL_mesa"), essential=False),
        Need("libgl1-mesa-dri", "rendering without a GPU", _has_software_rasteriser, essential=False),
        Need("libgl1", "rendering", lambda: _library("GL"), essential=False),
        Need("libusb-1.0-0", "Open3D", lambda: _library("usb-1.0"), essential=False),
        Need("libgomp1", "numerics", lambda: _library("gomp")),
    ]


def needs_of_tests() -> list[Need]:
    """Return what only tests need; those that do are skipped without it."""
    wanted = [
        Need("postgresql", "tests of a journal in PostgreSQL", _has_postgres_server, essential=False),
        Need("fonts-dejavu-core", "text in tests of the web page", _has_dejavu, essential=False),
    ]
    if not is_ubuntu():
        wanted.append(
            Need(BROWSER, "tests of the web page", lambda: shutil.which(BROWSER) is not None, essential=False)
        )
    return wanted


def is_ubuntu() -> bool:
    """Whether this is Ubuntu, which has no package with a browser, only one that would install a snap."""
    try:
        return platform.freedesktop_os_release()["ID"] == "ubuntu"
    except OSError:
        return False


def install_missing(wanted: Iterable[Need], progress: Progress) -> None:
    """Install what is missing with apt-get.

    SetupError with the list of packages when something essential is missing and cannot be installed; a note when it is
    not essential.
    """
    missing = [need for need in wanted if not need.present()]
    if not missing:
        return
    packages = [need.package for need in missing]
    listing = "\n".join(f"    {need.package:<18} for {need.purpose}" for need in missing)
    how = (
        f"Install them: apt-get install {' '.join(packages)}"
        if shutil.which("apt-get")
        else "Install what your system calls them."
    )
    by_hand = f"What is missing, as Debian calls it:\n{listing}\n  {how}"
    problem = why_not()
    if problem is None:
        progress.say(f"installing the Debian packages {' '.join(packages)}")
        try:
            _install(packages, progress)
        except SetupError as error:
            problem = str(error)
        else:
            missing = [need for need in missing if not need.present()]
            if not missing:
                return
            problem = f"still not found after installing: {', '.join(need.package for need in missing)}"
    if any(need.essential for need in missing):
        raise SetupError(f"{problem}\n  {by_hand}")
    without = ", ".join(dict.fromkeys(need.purpose for need in missing))
    progress.say(f"{problem}\n  {by_hand}\n  Going on without; this may not work: {without}.")


def _install(packages: list[str], progress: Progress) -> None:
    """Have apt-get install packages. What changes the system is done as a whole, also when it is interrupted."""
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}
    sudo: list[str] = []
    if not is_root():
        # Asks for a password here, where there is a terminal, and not of a program in the background.
        if subprocess.run(["sudo", "-v"], check=False).returncode != 0:
            raise SetupError("sudo did not let you, so nothing can be installed for you.")
        sudo = ["sudo", "-n", "--preserve-env=DEBIAN_FRONTEND,LC_ALL"]

    def run(title: str, *command: str, whole: bool = False) -> None:
        _when_free(progress, title, [*sudo, *command], environment, whole)

    if _is_half_installed():
        try:
            run("Debian packages that were left half installed", "dpkg", "--configure", "-a", whole=True)
        except ToolError as error:
            progress.say(f"{error}\n  Going on: apt-get may be able to mend it.")
    out_of_date: ToolError | None = None
    try:
        run("Debian's package lists", "apt-get", "-o", "APT::Update::Error-Mode=any", "update")
    except ToolError as error:
        out_of_date = error  # a source that does not answer need not be one that is needed
    install = ["apt-get", "install", "-y", "--no-install-recommends", "--fix-broken", "--no-remove"]
    try:
        run("Debian packages, download", *install, "--download-only", *packages)
    except ToolError as error:
        raise out_of_date or error from error
    run("Debian packages", *install, *packages, whole=True)


def _when_free(progress: Progress, title: str, command: list[str], environment: dict[str, str], whole: bool) -> None:
    """Run apt-get or dpkg, again and again while another program holds their locks."""
    deadline = time.monotonic() + LOCK_TIMEOUT_S
    waiting = False
    while True:
        try:
            return progress.run(title, command, environment=environment, whole=whole, announced=not waiting)
        except ToolError as error:
            held = [line for line in error.output.splitlines() if LOCKED.search(line)]
            if not held:
                raise
            if time.monotonic() > deadline:
                raise SetupError(
                    f"{title}: another program has been installing packages for long: {held[0]}"
                ) from error
            if not waiting:
                progress.say(f"another program is installing packages; waiting for it ({held[0].strip()})")
        waiting = True
        time.sleep(LOCK_POLL_S)


def _is_half_installed() -> bool:
    """Whether dpkg was ended in the middle of its work: it then refuses all else."""
    audit = subprocess.run(["dpkg", "--audit"], capture_output=True, check=False).stdout.strip()
    journal = Path(os.environ.get("DPKG_ADMINDIR", "/var/lib/dpkg")) / "updates"
    return bool(audit) or any(journal.glob("[0-9]*"))


def install_browser(python: Path, progress: Progress) -> None:
    """Install Playwright's own Chromium with the libraries it needs, unless Chrome is there; a note when that fails."""
    if shutil.which("google-chrome") is not None:
        return
    command: list[str | Path] = [python, "-m", "playwright", "install", "--only-shell", "chromium"]
    command += ["--with-deps"] if why_not() is None else []
    try:
        progress.run("a browser for tests", command, environment=os.environ)
    except SetupError as error:
        progress.say(f"{error}\n  Going on without; tests of the web page are skipped.")


def why_not() -> str | None:
    """Say why packages cannot be installed here; None when they can."""
    if shutil.which("apt-get") is None:
        return "this system has no apt-get, so nothing can be installed for you."
    if is_root():
        return None
    if shutil.which("sudo") is None:
        return "you are not root and there is no sudo, so nothing can be installed for you: ask whoever is root here."
    without_password = subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False).returncode == 0
    if not without_password and not sys.stdin.isatty():
        return "sudo would ask for a password, and there is no terminal to ask on."
    return None


def python_version(python: str) -> str:
    """Return an interpreter's version as in its Debian package names, for example 3.11."""
    if os.path.realpath(python) == THIS_PYTHON:
        return f"{sys.version_info.major}.{sys.version_info.minor}"
    code = "import sys; print(*sys.version_info[:2], sep='.')"
    return subprocess.run([python, "-I", "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def _runs(python: str, code: str) -> bool:
    return subprocess.run([python, "-I", "-c", code], capture_output=True, check=False).returncode == 0


def _has_headers(python: str) -> bool:
    if os.path.realpath(python) == THIS_PYTHON:
        return (Path(sysconfig.get_path("include")) / "Python.h").is_file()
    return _runs(python, "import os, sysconfig; os.stat(sysconfig.get_path('include') + '/Python.h')")


def _library(name: str) -> bool:
    return ctypes.util.find_library(name) is not None


def _has_postgres_server() -> bool:
    return bool(shutil.which("initdb") or glob.glob("/usr/lib/postgresql/*/bin/initdb"))


def _has_dejavu() -> bool:
    return os.path.isfile("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")


def _has_software_rasteriser() -> bool:
    return bool(glob.glob("/usr/lib/*/dri/swrast_dri.so") or glob.glob("/usr/lib*/dri/swrast_dri.so"))
