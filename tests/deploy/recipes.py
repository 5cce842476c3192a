"""The deployment files, parsed."""

import shlex
from configparser import ConfigParser
from functools import cache
from typing import Any

import yaml  # type: ignore[import-untyped]  # the package ships no types, and its parsed documents have none anyway

from tests.deploy.guarded import DEPLOY

OURS = ("api", "worker", "sweeper")


@cache
def compose() -> dict[str, Any]:
    """compose.yaml."""
    parsed: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
    return parsed


def command_of(process: str) -> list[str]:
    """What compose runs as a process."""
    command: list[str] = compose()["services"][process]["command"]
    return command


def health_of(process: str) -> list[str]:
    """How compose asks for a process's health, as a command; a dollar is written twice there."""
    kind, *words = compose()["services"][process]["healthcheck"]["test"]
    words = [word.replace("$$", "$") for word in words]
    return words if kind == "CMD" else ["/bin/sh", "-c", *words]


@cache
def objects() -> tuple[dict[str, Any], ...]:
    """All objects of the Kubernetes files."""
    files = sorted((DEPLOY / "kubernetes").glob("*.yaml"))
    return tuple(one for file in files for one in yaml.safe_load_all(file.read_text(encoding="utf-8")))


def object_of(kind: str, name: str) -> dict[str, Any]:
    (found,) = [one for one in objects() if one["kind"] == kind and one["metadata"]["name"] == name]
    return found


def pod_of(name: str) -> dict[str, Any]:
    """The pod of a deployment, or of the store."""
    owner = object_of("StatefulSet" if name == "store" else "Deployment", name)
    pod: dict[str, Any] = owner["spec"]["template"]["spec"]
    return pod


def unit_of(name: str) -> dict[str, str]:
    """The [Service] section of a systemd unit."""
    parser = ConfigParser(interpolation=None, delimiters=("=",))
    parser.optionxform = str  # type: ignore[assignment,method-assign]  # its documented way to keep the case of names
    parser.read(DEPLOY / "systemd" / f"tocsin-{name}.service", encoding="utf-8")
    return dict(parser["Service"])


def exec_of(name: str) -> list[str]:
    """A unit's command, with the program's name alone."""
    program, *rest = shlex.split(unit_of(name)["ExecStart"])
    return [program.rpartition("/")[2], *rest]


def images() -> list[str]:
    """Every image that is named."""
    of_compose = [service["image"] for service in compose()["services"].values()]
    return of_compose + [container["image"] for name in ("store", *OURS) for container in pod_of(name)["containers"]]
