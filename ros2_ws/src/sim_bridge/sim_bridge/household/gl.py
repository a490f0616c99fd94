# Copyright 2026 The KARMA Authors
# SPDX-License-Identifier: Apache-2.0
"""Which of MuJoCo's headless OpenGL back ends works on this machine.

MuJoCo and PyOpenGL decide once, when they are imported; so the libraries are tried here, before that.
"""

from __future__ import annotations

import ctypes
import os
import sys
from types import ModuleType

from sim_bridge.backend import BackendUnavailableError

_EGL_PLATFORM_DEVICE = 0x313F
_OSMESA_LIBRARIES = ("libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so")


class RenderingUnavailableError(BackendUnavailableError):
    """No headless OpenGL on this machine."""


def import_mujoco() -> ModuleType:
    """Import mujoco with a headless OpenGL back end: the one named by MUJOCO_GL, else EGL, else OSMesa.

    RenderingUnavailableError, naming the packages to install, when neither works.
    """
    if "mujoco" not in sys.modules and not os.environ.get("MUJOCO_GL"):
        os.environ["MUJOCO_GL"] = _working_backend()
    try:
        import mujoco
    except (ImportError, AttributeError, OSError, RuntimeError) as error:
        raise RenderingUnavailableError(
            f"mujoco can't be imported with MUJOCO_GL={os.environ.get('MUJOCO_GL')!r}: {error}. "
            f"Install the Python package mujoco and {_PACKAGES}, and unset MUJOCO_GL."
        ) from error
    context = getattr(mujoco, "GLContext", None)
    if context is None or context.__module__.startswith("mujoco.glfw"):
        raise RenderingUnavailableError(
            "mujoco was imported before the renderer, or MUJOCO_GL was set, such that it needs a display (without "
            "one it aborts the process): set MUJOCO_GL=egl or MUJOCO_GL=osmesa before the start"
        )
    return mujoco  # type: ignore[no-any-return]


_PACKAGES = "the Debian packages libegl1 libegl-mesa0 libgl1-mesa-dri (or libosmesa6)"


def _working_backend() -> str:
    egl = _egl_problem()
    if not egl:
        return "egl"
    for library in _OSMESA_LIBRARIES:
        try:
            ctypes.CDLL(library)
        except OSError:
            continue
        return "osmesa"
    raise RenderingUnavailableError(f"no headless OpenGL: {egl}; OSMesa is not installed. Install {_PACKAGES}.")


def _egl_problem() -> str:
    """Return why EGL can't open a display of some device, or an empty string when it can."""
    try:
        egl = ctypes.CDLL("libEGL.so.1")
    except OSError as error:
        return f"EGL is not installed ({error})"
    egl.eglGetProcAddress.restype = ctypes.c_void_p
    query = egl.eglGetProcAddress(b"eglQueryDevicesEXT")
    display_of = egl.eglGetProcAddress(b"eglGetPlatformDisplayEXT")
    if not query or not display_of:
        return "EGL lacks device enumeration"
    devices = (ctypes.c_void_p * 16)()
    count = ctypes.c_int()
    query_devices = ctypes.CFUNCTYPE(ctypes.c_uint, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(query)
    get_display = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint, ctypes.c_void_p, ctypes.c_void_p)(display_of)
    egl.eglInitialize.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    if not query_devices(len(devices), ctypes.byref(devices), ctypes.byref(count)) or not count.value:
        return "EGL finds no device: is a driver installed?"
    for device in devices[: count.value]:
        display = get_display(_EGL_PLATFORM_DEVICE, device, None)
        if display and egl.eglInitialize(display, None, None):
            return ""
    return "EGL can't open any of its devices"
