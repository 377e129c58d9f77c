"""What the programs really have: their settings with defaults, and their metrics. Asked of the programs themselves where they
are built, else of their sources."""

import os
import re
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAMES = ("ingest", "filter", "fanout", "moderation")
# Commands of `danmaku` that run in pods of their own, each from the source of its name.
COMMANDS = {"topics": ("danmaku", "topics", "apply"), "canary": ("danmaku", "canary")}


class Programs:
    def __init__(self, target):
        self.target, self.settings, self.source, self.told = Path(target), {}, {}, {}
        for name in (*NAMES, *COMMANDS):
            self.settings[name], self.source[name] = self._settings(name)
        self.metrics, self.metrics_source = _metrics()

    def default(self, program, setting):
        return self.settings.get(program, {}).get(setting)

    def binary(self, name):
        """The newest that is built, or None."""
        builds = [self.target / profile / name for profile in ("debug", "release")]
        return max((build for build in builds if build.is_file()), key=lambda build: build.stat().st_mtime, default=None)

    def refused(self, name, environment, flags):
        """What the program says to these settings, a line each; None where it is not built. Nothing is started: one more
        setting is wrong on purpose, and a program names all that are wrong before it does anything."""
        binary = self.binary(COMMANDS.get(name, (name,))[0])
        if binary is None:
            return None
        environment = {key: value for key, value in environment.items() if value is not None}
        line = [binary, *COMMANDS.get(name, (name,))[1:], *(f"{flag}={value}" for flag, value in flags.items())]
        asked = (name, *line, *sorted(environment.items()))
        if asked not in self.told:
            self.told[asked] = (_refused_by_clap if name == "canary" else _refused)(line, environment)
        return self.told[asked]

    def _settings(self, name):
        command = COMMANDS.get(name, (name,))
        binary = self.binary(command[0])
        if binary is not None:
            # Without what is set here: help shows it in place of the name alone.
            line, environment = [binary, *command[1:], "--help"], {"PATH": os.environ["PATH"]}
            told = subprocess.run(line, env=environment, capture_output=True, text=True, timeout=20).stdout
            return _from_help(told), str(binary)
        if name in COMMANDS:
            return _from_sources(ROOT / f"services/danmaku/src/{name}.rs"), "sources"
        common = _from_sources(ROOT / "services/chassis/src")
        return common | _from_sources(ROOT / "services" / name / "src"), "sources"


def _refused(line, environment):
    """Services, and commands that read their settings as services do."""
    told = _told(line, environment | {"DANMAKU_PARTITIONS": "0"})
    named = re.findall(r"^  (--\S+ \(DANMAKU_\w+\): .*)$", told.stderr, re.MULTILINE)
    if not any(line.startswith("--partitions ") for line in named):
        return [f"it did not answer as expected: exit code {told.returncode}: {told.stderr.strip()[:200]}"]
    return [line for line in named if not line.startswith("--partitions ")]


def _refused_by_clap(line, environment):
    """Commands whose settings clap judges alone: it names the first value that is wrong, and only when each is right that
    `--json` lacks its `--once`."""
    told = _told([*line, "--json"], environment)
    if "--once" in told.stderr and "required" in told.stderr:
        return []
    return [told.stderr.strip().split("\n\n")[0] or f"it did not answer as expected: exit code {told.returncode}"]


# What stands in a file that a program reads while it judges its settings; here it is no pod's.
HELD = {"DANMAKU_DATABASE_FILE": "postgres://danmaku@database/danmaku", "DANMAKU_REDIS_FILE": "redis://redis:6379/0"}


def _told(line, environment):
    with tempfile.TemporaryDirectory() as folder:
        files = {key: Path(folder) / key for key in HELD if key in environment}
        for key, file in files.items():
            file.write_text(HELD[key])
        environment = {"PATH": os.environ["PATH"], **environment, **{key: str(file) for key, file in files.items()}}
        return subprocess.run(line, env=environment, capture_output=True, text=True, timeout=20)


def _from_help(text):
    """Clap writes `[env: NAME=…]` below each setting, and `[default: …]` beside it."""
    settings = {}
    for name, rest in re.findall(r"\[env:\s+(DANMAKU_\w+)=?\](\s+\[default:\s+[^\]]*\])?", text):
        settings[name] = rest.strip()[1:-1].removeprefix("default:").strip() if rest else None
    return settings


def _from_sources(place):
    settings = {}
    for file in [place] if place.is_file() else sorted(place.rglob("*.rs")):
        for attribute in re.findall(r"#\[arg\((.*?)\)\]\s*\n", file.read_text(), re.DOTALL):
            if name := re.search(r'env = "(DANMAKU_\w+)"', attribute):
                default = re.search(r'\bdefault_value(?:_t)? = (?:"([^"]*)"|([\w.]+))', attribute)
                settings[name[1]] = (default[1] or (default[2] or "").replace("_", "")) if default else None
    return settings


def _metrics():
    """The names that docs/metrics.md has from a real scrape, and the canary's, which is no service; without that page, all that
    stand in the sources."""
    listed, services = ROOT / "docs/metrics.md", ROOT / "services"
    if listed.exists():
        names, files = set(re.findall(r"`(danmaku_\w+)", listed.read_text())), services.glob("danmaku/src/canary/*.rs")
    else:
        names, files = set(), services.glob("*/src/**/*.rs")
    names |= {name for file in files for name in re.findall(r'"(danmaku_\w+)"', file.read_text())}
    return names, "docs/metrics.md" if listed.exists() else "sources"
