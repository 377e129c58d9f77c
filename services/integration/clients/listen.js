// Runs bilibili-live-ws, as it comes from the registry, against a hall, and prints what it hears as lines of JSON.
// node listen.js ws://HOST:PORT/sub ROOM PROTOVER [keep] — the package is found through NODE_PATH.
const { LiveWS, KeepLiveWS } = require("bilibili-live-ws");

const [, , address, room, protover, kind] = process.argv;
const tell = (event, fields = {}) => console.log(JSON.stringify({ event, ...fields }));

const options = { address, protover: Number(protover), key: process.env.KEY ?? "tok", uid: 7, buvid: "b" };
const live = new (kind === "keep" ? KeepLiveWS : LiveWS)(Number(room), options);

live.on("live", () => tell("live"));
live.on("heartbeat", (online) => tell("heartbeat", { online }));
live.on("DANMU_MSG", ({ info }) => {
  const { extra, user } = info[0][15];
  const [, mode, , color] = info[0];
  const { id_str: id } = JSON.parse(extra);
  tell("danmaku", { id, text: info[1], uid: info[2][0], name: info[2][1], mode, color, face: user.base.face });
});
live.on("SEND_GIFT", ({ data }) => {
  tell("gift", { name: data.giftName, count: data.num, value: data.total_coin, sender: data.uname });
});
live.on("SUPER_CHAT_MESSAGE", ({ data }) => {
  tell("super", { text: data.message, price: data.price, sender: data.user_info.uname, seconds: data.time });
});
live.on("msg", ({ cmd }) => tell("command", { cmd }));
live.on("close", () => tell("close"));
live.on("error", (error) => tell("error", { message: String(error) }));
live.on("e", (error) => tell("error", { message: String(error) }));

process.on("unhandledRejection", (error) => tell("crash", { message: String(error) }));
// Whoever started us holds our input open; it ends when they do.
process.stdin.resume().on("end", () => process.exit(0));
