// What a session asks of a client, whichever it is, and what it hears from it.

export interface Where {
  /** `ws://host:port` */
  url: string;
  room: string;
  token: string | undefined;
}

export interface Said {
  id: string;
  text: string;
}

export interface Ear {
  /** The server has said hello. */
  up(): void;
  /** The client has noticed that the connection is gone. */
  down(why: string): void;
  /** A message of the room, to be shown. */
  seen(message: Said): void;
}

export interface Client {
  connect(): void;
  say(text: string): void;
  /** The device tells its programs that it is in another network. */
  moved?(): void;
  close(): void;
}

export type Make = (where: Where, ear: Ear) => Client;
