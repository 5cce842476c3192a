"""The deployment files name only what exists, agree with each other, and hold the limits that the project needs."""

import importlib
import re
from importlib.metadata import entry_points
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]  # the package ships no types, and its parsed documents have none anyway
from pydantic import ValidationError

from tests.deploy.guarded import DEPLOY, ROOT, GuardedServer, draw_secrets
from tests.deploy.recipes import OURS, command_of, compose, exec_of, images, object_of, objects, pod_of, unit_of
from tests.docs.test_commands import unknown
from workers.app import QUEUE_LARGE, QUEUE_SMALL, make_app
from workers.cli.setting import read_settings
from workers.cli.stack import api_command
from workers.kernel.errors import InvalidInput
from workers.settings import ServerSettings
from workers.store.connection import server_problems

# One guarded server serves all tests here: they stay on one test process.
pytestmark = pytest.mark.xdist_group("deploy-files")

PROGRAMS = {point.name for point in entry_points(group="console_scripts")} | {"python"}
BYTES = {"kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30}


def environment_names(words: Any) -> set[str]:
    return set(re.findall(r"TOCSIN_[A-Z_]+", str(words)))


@pytest.mark.parametrize("process", [*OURS, "operator"])
def test_what_compose_runs_exists(process: str) -> None:
    program, *rest = command_of(process)

    assert program in PROGRAMS
    if program == "tocsin":
        assert unknown(rest) == ""
    for module in re.findall(r"\b(?:workers|api)\.[a-z]+\b", " ".join(rest)):
        assert importlib.import_module(module).__name__ == module


def test_workers_take_from_every_queue_that_there_is() -> None:
    words = command_of("worker")

    assert words[words.index("-Q") + 1].split(",") == [QUEUE_LARGE, QUEUE_SMALL]
    assert words[words.index("-A") + 1] == "workers.tasks"


def test_the_api_is_what_granian_is_told_to_serve() -> None:
    module, _, attribute = command_of("api")[-1].partition(":")

    assert callable(getattr(importlib.import_module(module), "application"))  # noqa: B009 what makes the attribute below
    assert attribute == "app"


def test_the_api_is_served_as_on_one_machine() -> None:
    words = api_command(8000, 2)
    words[words.index("--host") + 1] = "0.0.0.0"

    assert words[words.index("granian") :] == command_of("api")


@pytest.mark.parametrize("process", OURS)
def test_systemd_and_kubernetes_run_what_compose_runs(process: str) -> None:
    (container,) = pod_of(process)["containers"]
    on_every_address = ["0.0.0.0" if word == "127.0.0.1" else word for word in exec_of(process)]

    assert container["command"] == command_of(process) == on_every_address


@pytest.mark.parametrize("process", OURS)
def test_each_process_reads_its_own_secret_and_no_other(process: str, tmp_path) -> None:
    assert draw_secrets(tmp_path / "secrets", "store:6379").returncode == 0
    (container,) = pod_of(process)["containers"]

    assert compose()["services"][process]["env_file"] == [f"secrets/{process}.env"]
    assert container["envFrom"] == [{"secretRef": {"name": process}}]
    assert unit_of(process)["EnvironmentFile"] == f"/etc/tocsin/{process}.env"
    assert (tmp_path / "secrets" / f"{process}.env").exists()


def test_the_files_that_compose_and_kustomize_mount_exist_or_are_drawn(tmp_path) -> None:
    assert draw_secrets(tmp_path / "secrets", "store:6379").returncode == 0
    kustomization = yaml.safe_load((DEPLOY / "kustomization.yaml").read_text(encoding="utf-8"))
    named = [
        volume.split(":")[0] for service in compose()["services"].values() for volume in service.get("volumes", ())
    ]
    named = [name for name in named if name.startswith("./")] + kustomization["resources"]
    for generator in kustomization["configMapGenerator"] + kustomization["secretGenerator"]:
        named += generator.get("files", []) + generator.get("envs", [])

    assert named
    for name in named:
        path = name.removeprefix("./")
        assert (tmp_path / path if path.startswith("secrets/") else DEPLOY / path).exists(), name


def test_only_settings_that_exist_are_set() -> None:
    known = {f"TOCSIN_{name.upper()}" for name in ServerSettings.model_fields} | {"TOCSIN_URL", "TOCSIN_TOKEN"}
    units = [unit_of(process) for process in OURS]

    assert environment_names([compose(), objects(), units]) <= known
    assert "TOCSIN_ARCHIVE_URL" in environment_names(unit_of("worker"))


def test_every_image_is_ours_or_has_a_release_in_its_name() -> None:
    assert [image for image in images() if image != "tocsin" and not re.fullmatch(r"[a-z/]+:\d+\.\d+", image)] == []


def test_what_lives_on_is_started_again_and_what_holds_orders_is_asked_for_its_health() -> None:
    services = compose()["services"]

    for name in ("store", *OURS):
        assert services[name]["restart"] == "unless-stopped"
        assert services[name]["healthcheck"]["test"]
    for name in OURS:
        assert services[name]["depends_on"] == {"store": {"condition": "service_healthy"}}
    assert {unit_of(name)["Restart"] for name in ("store", *OURS)} == {"always"}


def test_a_worker_that_is_told_to_stop_has_longer_than_a_task_may_take() -> None:
    limit_s = ServerSettings().task_hard_limit_s

    assert int(compose()["services"]["worker"]["stop_grace_period"].removesuffix("s")) > limit_s
    assert pod_of("worker")["terminationGracePeriodSeconds"] > limit_s
    assert int(unit_of("worker")["TimeoutStopSec"]) > limit_s


def test_keda_counts_the_queues_that_there_are_as_the_user_that_may() -> None:
    scaled = object_of("ScaledObject", "worker")["spec"]
    parameters = {
        item["parameter"]: item["key"]
        for item in object_of("TriggerAuthentication", "scaler")["spec"]["secretTargetRef"]
    }

    assert [trigger["metadata"]["listName"] for trigger in scaled["triggers"]] == [QUEUE_LARGE, QUEUE_SMALL]
    assert {trigger["authenticationRef"]["name"] for trigger in scaled["triggers"]} == {"scaler"}
    assert parameters == {"username": "username", "password": "password"}


def test_a_container_runs_as_nobody_in_particular() -> None:
    for name in ("store", *OURS):
        assert pod_of(name)["securityContext"]["runAsNonRoot"] is True
    assert {unit_of(name)["User"] for name in OURS} == {"tocsin"}


# The image.


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions, each on one line."""
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in lines)]


def test_what_the_image_copies_exists_and_is_sent_to_the_builder() -> None:
    sent = (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    allowed = {line.removeprefix("!") for line in sent if line.startswith("!")}
    copied = [
        source
        for word, rest in instructions()
        if word == "COPY" and "--from" not in rest
        for source in rest.split()[:-1]
    ]

    assert copied
    for source in copied:
        assert (ROOT / source).exists(), source
        assert source.rstrip("/") in allowed or source.split("/")[0] in allowed, source
    assert not any("secrets" in name for name in allowed)


def test_the_image_holds_nothing_that_is_not_pinned_and_runs_as_a_user() -> None:
    words = [word for word, _ in instructions()]
    installs = [rest for word, rest in instructions() if word == "RUN" and " install " in rest and "pip" in rest]
    last_stage = instructions()[max(index for index, word in enumerate(words) if word == "FROM") :]

    assert installs
    assert all("--require-hashes" in install or "--no-index" in install for install in installs)
    assert ("USER", "tocsin") in last_stage
    assert all(re.search(r":\d+\.\d+", rest) for word, rest in instructions() if word == "FROM")


# The server and the limits.


def directives() -> dict[str, str]:
    """What redis.conf sets, sizes in bytes."""
    lines = (DEPLOY / "redis.conf").read_text(encoding="utf-8").splitlines()
    pairs = (line.partition(" ")[::2] for line in lines if line.strip() and not line.startswith("#"))
    return {name: _size(value.strip('"')) for name, value in pairs}


def _size(value: str) -> str:
    match = re.fullmatch(r"(\d+)(kb|mb|gb)", value)
    return str(int(match[1]) * BYTES[match[2]]) if match else value


@pytest.mark.parametrize("name", sorted(directives()))
def test_a_real_server_takes_each_line_of_its_configuration(guarded: GuardedServer, name: str) -> None:
    found = guarded.test_client().config_get(name)

    assert {key: value for key, value in found.items() if key == name} == {name: directives()[name]}


def test_such_a_server_is_fit_to_hold_orders(guarded: GuardedServer) -> None:
    assert server_problems(guarded.client_of("operator")) == []
    assert directives()["maxmemory-policy"] == "noeviction"
    assert int(directives()["maxmemory"]) * 2 <= 4 << 30 == int(compose()["services"]["store"]["mem_limit"][0]) << 30


def test_meters_of_a_group_fit_a_listpack(guarded: GuardedServer) -> None:
    """Sixty-four homes to a group, whose names may be 64 characters long, each with several meters."""
    server = guarded.test_client()
    fields: dict[Any, Any] = {
        f"{'h' * 62}{home:02}/{meter}": 3 for home in range(64) for meter in ("ap", "pp", "one recovery", "coverage")
    }
    server.hset("tocsin:{listpack}:meters:1:0", mapping=fields)

    assert server.object("encoding", "tocsin:{listpack}:meters:1:0") == b"listpack"


def test_a_task_ends_before_its_message_comes_again() -> None:
    settings = ServerSettings()
    conf = make_app(settings).conf
    visible_s = conf.broker_transport_options["visibility_timeout"]

    assert conf.task_soft_time_limit < conf.task_time_limit < visible_s
    assert settings.task_soft_limit_s < settings.task_hard_limit_s < settings.visibility_timeout_s


@pytest.mark.parametrize(
    ("limits", "named"),
    [
        (
            {"task_soft_limit_s": 50},
            "task_soft_limit_s: 50 is not below task_hard_limit_s, which is 50; accepted: 1 to 49",
        ),
        ({"task_hard_limit_s": 60}, "task_hard_limit_s: 60 is not below visibility_timeout_s, which is 60"),
        ({"visibility_timeout_s": 45}, "task_hard_limit_s: 50 is not below visibility_timeout_s, which is 45"),
    ],
)
def test_limits_that_would_run_a_task_twice_at_once_are_refused(limits: dict[str, int], named: str) -> None:
    with pytest.raises(ValidationError, match=re.escape(named)):
        ServerSettings.model_validate(limits)


def test_a_refused_setting_does_not_repeat_the_servers_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOCSIN_REDIS_URL", "redis://user:sesame@store")
    monkeypatch.setenv("TOCSIN_TASK_SOFT_LIMIT_S", "99")
    with pytest.raises(ValidationError) as refused:
        ServerSettings()
    with pytest.raises(InvalidInput, match="task_soft_limit_s: 99") as told:
        read_settings()

    assert "sesame" not in f"{refused.value}{told.value}"
