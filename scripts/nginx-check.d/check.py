"""What docs/nginx.conf promises, each tried with clients of the wire. How the site is started is kept out."""

import asyncio
import contextlib
import http.client
import json
import re
import struct
import sys
import time

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from site_of_one import ADDRESS_MAX, CONF, IDLE_S, PATIENCE_S, PING_S, READ_S, Site, ask, until

JSON = "danmaku.v1.json"


def viewer(site, room, since=None, address="127.0.0.1", headers=None):
    query = f"?since={since}" if since else ""
    url = f"ws://127.0.0.1:{site.port}/v1/rooms/{room}/live{query}"
    # Its own pings would be life; the wire's own are what is tried.
    return connect(url, subprotocols=[JSON], ping_interval=None, local_addr=(address, 0), additional_headers=headers)


async def hear(socket, kind):
    """The next frame of a kind."""
    while (frame := json.loads(await asyncio.wait_for(socket.recv(), PATIENCE_S)))["type"] != kind:
        pass
    return frame


class Sender:
    """Says things through nginx, all on one connection: the answer must leave it open."""

    def __init__(self, site):
        self.line = http.client.HTTPConnection("127.0.0.1", site.port, timeout=PATIENCE_S)
        self.headers = {"Authorization": f"Bearer {site.token('sender')}", "Content-Type": "application/json"}

    def say(self, room, text):
        self.line.request("POST", f"/v1/rooms/{room}/danmaku", json.dumps({"text": text}), self.headers)
        answer = self.line.getresponse()
        body = json.loads(answer.read())
        assert answer.status == 202, body
        return body["id"]


async def a_socket_is_upgraded_over_http_1_1(site):
    async with viewer(site, "upgrade") as socket:
        assert socket.response.status_code == 101 and socket.subprotocol == JSON
        assert (await hear(socket, "hello"))["room"] == "upgrade"
        Sender(site).say("upgrade", "through nginx")
        batch = await hear(socket, "batch")
        assert batch["messages"][0]["text"] == "through nginx", batch


async def requests_share_a_connection_and_pages_are_served(site):
    sender = Sender(site)
    sender.say("door", "one")
    port = sender.line.sock.getsockname()
    sender.say("door", "two")
    assert sender.line.sock.getsockname() == port, "the connection was closed after an answer"
    status, headers, body = ask(site.port, "GET", "/?room=door")
    assert status == 200 and headers["content-type"].startswith("text/html"), (status, body[:200])
    for port in site.port, site.direct:
        status, _, body = ask(port, "GET", "/dev/token?name=me")
        assert status == 403, "what is for a first look is there behind a proxy"


async def an_event_stream_is_not_held_back(site):
    reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
    writer.write(b"GET /v1/rooms/events/live HTTP/1.1\r\nHost: here\r\nAccept: text/event-stream\r\n\r\n")
    head = await asyncio.wait_for(reader.readuntil(b"event: hello"), PATIENCE_S)
    assert head.startswith(b"HTTP/1.1 200 ") and b"text/event-stream" in head, head
    Sender(site).say("events", "a line that nobody gathers")
    await asyncio.wait_for(reader.readuntil(b"a line that nobody gathers"), PATIENCE_S)
    writer.close()


async def a_viewer_is_known_by_his_own_address(site):
    forged = {"X-Forwarded-For": "192.0.2.7"}
    async with asyncio.TaskGroup() as group:
        coming = [group.create_task(viewer(site, "crowd", address="127.0.0.4").__aenter__()) for _ in range(ADDRESS_MAX)]
    crowd = [task.result() for task in coming]
    for socket in crowd:
        await hear(socket, "hello")
    try:
        async with viewer(site, "crowd", address="127.0.0.4", headers=forged):
            raise AssertionError("one more of an address than --address-connections-max")
    except InvalidStatus as refused:
        assert refused.response.status_code == 503 and b'"full"' in refused.response.body, refused.response
    async with viewer(site, "crowd", address="127.0.0.5") as other:
        await hear(other, "hello")
    for socket in crowd:
        await socket.close()


async def an_idle_viewer_stays_and_a_silent_one_is_closed_by_the_hall(site):
    reads = {int(s) for s in re.findall(r"proxy_read_timeout (\d+)s;", CONF.read_text())}
    ping, idle = site.default_s("ping"), site.default_s("idle")
    assert min(reads) >= idle > ping, f"nginx {reads} s, --idle {idle} s, --ping {ping} s"
    async with viewer(site, "silence") as pinging, viewer(site, "silence") as silent:
        hello = await hear(pinging, "hello")
        assert (hello["ping_ms"], hello["idle_ms"]) == (PING_S * 1000, IDLE_S * 1000), hello
        begun = time.monotonic()
        while time.monotonic() < begun + READ_S + IDLE_S:
            await asyncio.sleep(PING_S)
            await pinging.send('{"type":"ping","at":1}')
            await hear(pinging, "pong")
        try:
            await hear(silent, "never")
        except ConnectionClosed as closed:
            assert closed.rcvd and closed.rcvd.code == 4002, f"closed by somebody else than the hall: {closed}"


async def after_a_reload_nobody_has_missed_anything(site):
    """Twenty viewers; two reloads, each of which cuts all of them; a message each 10 ms all the while."""
    said, returns = [], []
    done = asyncio.Event()

    async def watch(seen):
        since = None
        while True:
            try:
                async with viewer(site, "reload", since, "127.0.0.3") as socket:
                    hello = await hear(socket, "hello")
                    if since:
                        assert hello["recovered"], hello
                        returns.append(hello)
                    since = since or hello["cursor"]
                    seen["there"] = True
                    while not (done.is_set() and len(seen["ids"]) >= len(said)):
                        frame = json.loads(await asyncio.wait_for(socket.recv(), PATIENCE_S))
                        since = frame.get("cursor", since)
                        assert frame["type"] != "gap", frame
                        seen["ids"] += [message["id"] for message in frame.get("messages", [])]
                    return
            except (ConnectionClosed, ConnectionError, InvalidStatus):
                continue

    async def talk():
        sender = Sender(site)
        while not all(seen["there"] for seen in viewers):
            await asyncio.sleep(0.01)
        for number in range(300):
            said.append(await asyncio.to_thread(sender.say, "reload", f"line {number}"))
            if number in (100, 200):
                await asyncio.to_thread(site.reload)
                # nginx has closed what was open between two requests.
                sender = Sender(site)
            await asyncio.sleep(0.01)
        # Until all have been cut twice and are back: a last word then ends it for each.
        while len(returns) < 2 * len(viewers):
            await asyncio.sleep(0.01)
        done.set()
        said.append(await asyncio.to_thread(sender.say, "reload", "the last line"))

    viewers = [{"ids": [], "there": False} for _ in range(20)]
    async with asyncio.timeout(PATIENCE_S), asyncio.TaskGroup() as group:
        for seen in viewers:
            group.create_task(watch(seen))
        group.create_task(talk())
    for seen in viewers:
        assert seen["ids"] == said, f"{len(seen['ids'])} seen, {len(said)} said, or in another order"
    return f"{len(said)} messages, {len(viewers)} viewers, {len(returns)} returns, none missing, none twice"


async def of_two_halls_one_viewer_whom_both_refuse_takes_neither_away(site):
    async with contextlib.AsyncExitStack() as crowd:
        for _ in range(len(site.halls) * site.address_max):
            await crowd.enter_async_context(viewer(site, "refused", address="127.0.0.4"))
        try:
            async with viewer(site, "refused", address="127.0.0.4"):
                raise AssertionError("one more of an address than both halls take")
        except InvalidStatus as refused:
            assert refused.response.status_code == 503, refused.response
        for room in ("refused", "another"):
            async with viewer(site, room, address="127.0.0.5") as other:
                await hear(other, "hello")


async def viewers_whose_path_names_no_room_are_spread_over_both_halls(site):
    async with contextlib.AsyncExitStack() as all_of_them:
        for number in range(4):
            line = connect(f"ws://127.0.0.1:{site.port}/sub", local_addr=(f"127.0.0.{number + 10}", 0))
            socket = await all_of_them.enter_async_context(line)
            auth = b'{"roomid": 7}'
            await socket.send(struct.pack(">IHHII", 16 + len(auth), 16, 1, 7, 1) + auth)
            assert (await asyncio.wait_for(socket.recv(), PATIENCE_S))[16:] == b'{"code":0}'
        until("two of four viewers in each hall", lambda: site.viewers() == [2, 2])


CHECKS = [
    a_socket_is_upgraded_over_http_1_1,
    requests_share_a_connection_and_pages_are_served,
    an_event_stream_is_not_held_back,
    a_viewer_is_known_by_his_own_address,
    an_idle_viewer_stays_and_a_silent_one_is_closed_by_the_hall,
    after_a_reload_nobody_has_missed_anything,
]
CHECKS_OF_TWO = [
    of_two_halls_one_viewer_whom_both_refuse_takes_neither_away,
    viewers_whose_path_names_no_room_are_spread_over_both_halls,
]


def failures(site, checks):
    """Tries each; how many failed."""
    failed = 0
    for check in checks:
        name = check.__name__.replace("_", " ")
        try:
            told = asyncio.run(check(site))
            print(f"  ok      {name}" + (f" ({told})" if told else ""))
        except Exception as error:
            failed += 1
            told = error.exceptions[0] if isinstance(error, ExceptionGroup) else error
            print(f"  FAILED  {name}: {told!r}")
    return failed


def main():
    with Site(*sys.argv[1:]) as site:
        failed = failures(site, CHECKS)
    with Site(*sys.argv[1:], halls=2, address_max=2) as site:
        failed += failures(site, CHECKS_OF_TWO)
    print(f"nginx: {len(CHECKS) + len(CHECKS_OF_TWO) - failed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
