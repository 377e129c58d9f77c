"""Runs bili-listener, as it comes from the registry, against a hall, and prints what it hears as lines of JSON.

python listen.py ws://HOST:PORT/sub ROOM — two methods are replaced that the package's source offers for that.
"""

import asyncio
import json
import logging
import os
import sys

import blivedm

URL, ROOM = sys.argv[1], int(sys.argv[2])


def tell(event, **fields):
    print(json.dumps({"event": event, **fields}), flush=True)


class Client(blivedm.BLiveClient):
    async def init_room(self):
        self._room_id, self._room_owner_uid, self._uid = self._tmp_room_id, 0, self._uid or 0
        self._host_server_list, self._host_server_token = [{}], os.environ.get("KEY", "tok")
        return True

    def _get_ws_url(self, retry_count):
        return URL


class Handler(blivedm.BaseHandler):
    def _on_heartbeat(self, client, message):
        tell("heartbeat", online=message.popularity)

    def _on_danmaku(self, client, message):
        tell(
            "danmaku",
            id=message.extra_dict["id_str"],
            text=message.msg,
            uid=message.uid,
            name=message.uname,
            mode=message.mode,
            color=message.color,
            face=message.face,
        )

    def _on_gift(self, client, message):
        tell("gift", name=message.gift_name, count=message.num, value=message.total_coin, sender=message.uname)

    def _on_super_chat(self, client, message):
        tell("super", text=message.message, price=message.price, sender=message.uname, seconds=message.time)

    def on_client_stopped(self, client, exception):
        tell("stopped", message=repr(exception))


class Complaints(logging.Handler):
    """What the package logs as an error is a message that it could not read."""

    def emit(self, record):
        tell("error", message=record.getMessage())


async def main():
    logging.getLogger("blivedm").addHandler(Complaints(logging.ERROR))
    client = Client(ROOM, uid=0)
    client.set_handler(Handler())
    client.start()
    # Whoever started us holds our input open; it ends when they do.
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    os._exit(0)


asyncio.run(main())
