"""Finding Ray and a cluster: one line about what is wrong, soon, and nothing left running."""

from __future__ import annotations

import logging
import os
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

#: Seconds after which a cluster that says nothing is taken to be none.
PATIENCE = 10.0
#: What a client of HTTP/2, and so of gRPC, begins with: the preface and empty settings.
_GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
_SETTINGS = 4


def require_ray() -> Any:
    """Load the module ``ray``, or say how to get it."""
    try:
        import ray
        import ray.data
    except ImportError as error:
        raise ImportError(
            "scoring on a cluster needs Ray Data: pip install 'fastmj[ray]'"
        ) from error
    return ray


@contextmanager
def connected(address: str | None) -> Iterator[Any]:
    """Ray, connected to a cluster; one that is begun here ends with it.

    Parameters
    ----------
    address : str or None
        ``host:port`` of the head, ``auto`` or ``local``; None for what ``RAY_ADDRESS`` says, a
        cluster that runs on this machine, or else one that starts here. If the process is
        connected already, it stays so.

    Raises
    ------
    ConnectionError
        When there is no cluster there, or none that this process can talk to.
    """
    ray = require_ray()
    if ray.is_initialized():
        yield ray
        return
    _look_for(address or os.environ.get("RAY_ADDRESS", ""))
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    # Ray ends the process when it gives up on a cluster.
    except (Exception, SystemExit) as error:
        where = f"at {address}" if address else "on this machine"
        said = f"no Ray cluster {where} takes this process: {first_cause(error)}"
        if address and "RAY_AUTH_MODE" not in os.environ:
            said += " (if it wants a token, set RAY_AUTH_MODE=token)"
        raise ConnectionError(said) from None
    try:
        yield ray
    finally:
        ray.shutdown()


def _look_for(address: str) -> None:
    """Say within ``PATIENCE`` that nothing answers, for which Ray would take minutes."""
    if address.startswith("ray://"):
        raise ConnectionError(
            f"Ray Data does not run over {address}: run this on a machine of the cluster, with "
            "the address host:port of its head"
        )
    found = re.fullmatch(r"\[?(.+?)\]?:(\d+)", address)
    if found is None:
        return
    try:
        with socket.create_connection((found[1], int(found[2])), PATIENCE) as connection:
            connection.settimeout(PATIENCE)
            connection.sendall(_GREETING)
            header = connection.recv(9)
    except (OSError, OverflowError) as error:
        said = getattr(error, "strerror", None) or error
        raise ConnectionError(f"no Ray cluster at {address}: {said}") from None
    if len(header) < 4 or header[3] != _SETTINGS:
        raise ConnectionError(f"no Ray cluster at {address}: something else answers there")


def pool(ray: Any, workers: int | tuple[int, int] | None, spare: int = 0) -> dict[str, Any]:
    """Arguments of ``map_batches`` for so many processes, by default one a core of the cluster.

    ``spare`` cores are not taken as long as others want them: what reads for the workers would wait
    without end for a core that they hold.

    Raises
    ------
    ConnectionError
        When the cluster has no core.
    """
    cores = int(ray.cluster_resources().get("CPU", 0))
    if cores < 1:
        raise ConnectionError("the cluster has no processor for the workers")
    most = workers or cores
    least, most = most if isinstance(most, tuple) else (min(most, max(1, cores - spare)), most)
    strategy = ray.data.ActorPoolStrategy(min_size=least, max_size=most)
    return {"compute": strategy, "num_cpus": 1 if cores > spare else 0}


def first_cause(error: BaseException) -> str:
    """What went wrong in a worker, in one line, without the way it came."""
    # The texts of the errors on the way stand in Ray's, the one that began it first.
    said = re.search(r"^(?!ray\.)[\w.]*(?:Error|Exception|Interrupt): .+", str(error), re.MULTILINE)
    if said is None:
        return next(iter(str(error).strip().splitlines()), type(error).__name__)
    if "No module named" in said[0]:
        return f"{said[0]} (fastmj[ray] must be installed on all its machines)"
    return said[0].removeprefix("ConnectionError: ")


@contextmanager
def quiet(ray: Any, **settings: Any) -> Iterator[None]:
    """Ray Data without progress bars and messages of its own, with other settings if given."""
    context = ray.data.DataContext.get_current()
    settings |= {"enable_progress_bars": False, "print_on_execution_start": False}
    before = {name: getattr(context, name) for name in settings if hasattr(context, name)}
    loggers = [logging.getLogger(name) for name in ("ray.data", "ray")]
    levels = [logger.level for logger in loggers]
    try:
        for name in before:
            setattr(context, name, settings[name])
        for logger in loggers:
            logger.setLevel(logging.CRITICAL + 1)  # errors are raised as well
        yield
    finally:
        for name, value in before.items():
            setattr(context, name, value)
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
