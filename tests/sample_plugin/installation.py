"""Installs plug-ins for a test: this folder's distribution with pip, or a made-up one written by hand."""

import importlib
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SOURCE = Path(__file__).parent
GAMES = SOURCE / "games"


def install_lantern(folder: Path) -> Path:
    """Build and install the sample plug-in below a folder; returns where its packages lie."""
    source = shutil.copytree(SOURCE, folder / "source", ignore=shutil.ignore_patterns("__pycache__"))
    site = folder / "site"
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check"]
    subprocess.run([sys.executable, "-m", "pip", "install", *options, "--target", site, source], check=True)
    return site


def write_plugin(site: Path, name: str, entry_point: str, module: str, version: str = "0.1") -> None:
    """Write an installed distribution: one module of its name, and one entry point."""
    (site / f"{name}.py").write_text(module, encoding="utf-8")
    info = site / f"{name}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[tocsin.rulebooks]\n{entry_point}\n", encoding="utf-8")


@contextmanager
def visible(site: Path) -> Iterator[None]:
    """While it lasts, what lies in a folder can be imported, and its entry points are found."""
    sys.path.insert(0, str(site))
    importlib.invalidate_caches()
    before = set(sys.modules)
    try:
        yield
    finally:
        sys.path.remove(str(site))
        for name in set(sys.modules) - before:
            file = getattr(sys.modules[name], "__file__", None)
            if file is not None and Path(file).is_relative_to(site):
                del sys.modules[name]
        importlib.invalidate_caches()
