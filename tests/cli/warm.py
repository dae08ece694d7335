"""A process that has loaded exactdp; when asked, a copy of it becomes `exactdp ARGUMENTS`.

Loading takes longer than most commands. A copy (fork) begins where every command begins once it is
loaded: with no claim, no file and no thread of another command.
"""

from __future__ import annotations

import gc
import json
import os
import socket
import sys
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import exactdp
from exactdp import cli

main = cli.main  # before a module of this name is loaded

COMMANDS = [f"exactdp.cli.{one.name}" for one in iter_modules(cli.__path__)]
MODULES = ["rich.progress", "rich.table", *COMMANDS]


def serve(channel: socket.socket) -> tuple[Any, list[int]] | None:
    """Answer each request with the exit code of a copy; in the copy, return the request."""
    while True:
        message, streams, _, _ = socket.recv_fds(channel, 1 << 20, 2)
        while message and not message.endswith(b"\n"):
            message += channel.recv(1 << 20)
        if not message:
            return None
        child = os.fork()
        if not child:
            return json.loads(message), streams
        for stream in streams:
            os.close(stream)
        _, status = os.waitpid(child, 0)
        channel.send(str(os.waitstatus_to_exitcode(status)).encode())


if __name__ == "__main__":
    for module in MODULES:
        import_module(module)
    for name in exactdp.__all__:
        getattr(exactdp, name)
    gc.freeze()  # a copy need not look through all that is loaded
    channel = socket.socket(fileno=int(sys.argv[1]))
    request = serve(channel)
    if request is not None:
        channel.close()
        (arguments, folder, environment, closed, full), streams = request
        for target, stream in enumerate(streams, 1):
            os.dup2(stream, target)
            os.close(stream)
        for target in full:
            os.dup2(os.open("/dev/full", os.O_WRONLY), target)
        for target in closed:  # as Python finds it when it is started so
            os.close(target)
            setattr(sys, ("stdin", "stdout", "stderr")[target], None)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        sys.path[0] = folder
        sys.argv[1:] = arguments
        main()
