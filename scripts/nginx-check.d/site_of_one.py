"""A site of one machine: the one-process program, and nginx in front of it with docs/nginx.conf; or of two such programs, as two halls
for nginx. What it promises is tried elsewhere."""

import http.client
import json
import pathlib
import re
import signal
import socket
import subprocess
import tempfile
import time

CONF = pathlib.Path("docs/nginx.conf")

# So that a viewer's long idleness is short: they are --ping 30s, --idle 75s and proxy_read_timeout 90s. The last leaves the hall, which
# looks once a second who is silent, 3 s on a busy machine.
PING_S, IDLE_S, READ_S = 1.2, 3.0, 6.0

# Of a single address; more than the viewers of any one check.
ADDRESS_MAX = 30

# Anything that takes a second on an idle machine.
PATIENCE_S = 60


def until(what, happened):
    """What `happened` returns, once it is something."""
    give_up = time.monotonic() + PATIENCE_S
    while time.monotonic() < give_up:
        if result := happened():
            return result
        time.sleep(0.02)
    raise AssertionError(f"in {PATIENCE_S} s there was no {what}")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Site:
    """All programs; `with` ends them."""

    def __init__(self, nginx, danmaku, folder, halls=1, address_max=ADDRESS_MAX):
        self.nginx, self.program, self.folder = nginx, danmaku, pathlib.Path(folder)
        self.address_max = address_max
        self.data = [tempfile.TemporaryDirectory(dir=folder) for _ in range(halls)]
        self.keys = pathlib.Path(self.data[0].name) / "keys.jwks"
        self.started, self.admins = [], []

    def __enter__(self):
        try:
            subprocess.run([self.program, "keys", "--out", self.keys], check=True, stdout=subprocess.DEVNULL)
            self.halls = [self.start_danmaku(data.name) for data in self.data]
            self.direct = self.halls[0]
            self.port = self.start_nginx()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in reversed(self.started):
            process.terminate()
            try:
                process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                process.kill()
        for data in self.data:
            data.cleanup()

    def start_danmaku(self, data):
        flags = {
            "listen": "127.0.0.1:0", "admin": "127.0.0.1:0", "data": data, "keys": self.keys, "crowd": 0,
            "trusted-proxies": "127.0.0.1/32", "address-connections-max": self.address_max,
            "ping": f"{PING_S * 1000:.0f}ms", "idle": f"{IDLE_S * 1000:.0f}ms",
            # A check says more in a second than a person in a minute.
            "say-rate": 0, "duplicate-window": "0s", "similar-window": "0s", "room-budget": 0,
            "door-user-rate": 0, "door-address-rate": 0,
        }
        log = open(self.folder / f"danmaku-{len(self.admins)}.log", "w")
        line = [self.program, *(f"--{name}={value}" for name, value in flags.items())]
        process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=log, text=True)
        self.started.append(process)
        ready = process.stdout.readline()
        assert ready, f"danmaku did not start: {log.name}"
        public, admin = (int(json.loads(ready)[key].rsplit(":", 1)[1]) for key in ("public", "admin"))
        self.admins.append(admin)
        return public

    def start_nginx(self):
        port = free_port()
        conf = self.folder / "nginx.conf"
        conf.write_text(self.moved_here(CONF.read_text(), port))
        line = [self.nginx, "-c", conf, "-p", self.folder, "-e", self.folder / "error.log", "-g", "daemon off;"]
        tried = subprocess.run([*line, "-t"], capture_output=True, text=True)
        assert tried.returncode == 0, tried.stderr
        process = subprocess.Popen(line, stderr=subprocess.DEVNULL)
        self.started.append(process)
        until("nginx", lambda: process.poll() is None and self.answers(port))
        return port

    def moved_here(self, text, port):
        """The configuration with the ports and folders of this run, and its times shortened as the program's are."""
        folders = "".join(
            f"{kind}_temp_path {self.folder}/temp;" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        changes = [
            ("listen 80;", f"listen 127.0.0.1:{port};", 1),
            ("/var/log/nginx/", f"{self.folder}/", 1),
            ("worker_processes auto;", f"worker_processes 1; pid {self.folder}/nginx.pid;", 1),
            ("http {", f"http {{ {folders}", 1),
            ("proxy_read_timeout 90s;", f"proxy_read_timeout {READ_S * 1000:.0f}ms;", 2),
            ("worker_shutdown_timeout 1h;", "worker_shutdown_timeout 500ms;", 1),
        ]
        for old, new, times in changes:
            assert text.count(old) == times, f"docs/nginx.conf has {text.count(old)} times {old!r}, not {times}"
            text = text.replace(old, new)
        return re.sub(r"upstream (\w+) \{[^}]*\}", self.upstream_here, text)

    def upstream_here(self, found):
        """One of the configuration's upstreams with the programs of this run; nobody but halls is several."""
        ports = self.halls if found[1].startswith("hall") else [self.direct]
        text, places = re.subn(
            r"server 127\.0\.0\.1:8080([^;]*);.*",
            lambda server: " ".join(f"server 127.0.0.1:{port}{server[1]};" for port in ports),
            found[0],
        )
        assert places == 1, f"docs/nginx.conf has {places} servers in upstream {found[1]}"
        return text

    def viewers(self):
        """How many each hall has, as it says itself."""
        texts = [ask(admin, "GET", "/metrics")[2] for admin in self.admins]
        return [int(re.search(r"^danmaku_fanout_viewers(?:\{.*\})? (\d+)", text, re.MULTILINE)[1]) for text in texts]

    @staticmethod
    def answers(port):
        try:
            return ask(port, "GET", "/")[0]
        except OSError:
            return None

    def workers(self):
        """The process numbers of nginx's workers that take connections."""
        master = self.started[-1].pid
        lines = subprocess.run(["ps", "--ppid", str(master), "-o", "pid=,args="], capture_output=True, text=True).stdout
        return {int(line.split()[0]) for line in lines.splitlines() if "shutting down" not in line}

    def reload(self):
        """What `nginx -s reload` does; returns when other workers have taken over."""
        before = self.workers()
        self.started[-1].send_signal(signal.SIGHUP)
        until("new worker", lambda: (now := self.workers()) and not now & before)

    def token(self, name):
        """A token; behind a proxy the program hands out none."""
        line = [self.program, "token", "--keys", self.keys, "--sub", name]
        return subprocess.run(line, capture_output=True, text=True, check=True).stdout.strip()

    def default_s(self, flag):
        """A flag's default in seconds, as the program tells it."""
        text = subprocess.run([self.program, "--help"], capture_output=True, text=True, check=True).stdout
        return int(re.search(rf"--{flag} <.*?\[default: (\d+)s\]", text, re.DOTALL)[1])


def ask(port, method, path, body=None, headers=None):
    """Status, headers and body of a request of its own connection."""
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    try:
        line.request(method, path, body, headers or {})
        answer = line.getresponse()
        return answer.status, answer.headers, answer.read().decode()
    finally:
        line.close()
