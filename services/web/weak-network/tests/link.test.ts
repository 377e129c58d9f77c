// The proxy against real sockets: what comes through, what is held, swallowed or broken, and what each end learns.

import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Link } from '../link.js';

let server: Server;
let address: { host: string; port: number };
let accepted: Socket[];
let links: Link[];

beforeEach(async () => {
  accepted = [];
  links = [];
  server = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (bytes) => socket.write(`echo ${bytes}`));
    accepted.push(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  address = { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
});

afterEach(() => {
  for (const link of links) link.close();
  for (const socket of accepted) socket.destroy();
  server.close();
});

async function through(roundTripMs = 0): Promise<{ link: Link; port: number; socket: Socket; heard: () => string; counts: number[] }> {
  const counts: number[] = [];
  const link = new Link({ to: () => address, roundTripMs, count: (change) => counts.push(change) });
  links.push(link);
  const port = await link.listen();
  const socket = connect(port, '127.0.0.1');
  let heard = '';
  socket.on('data', (bytes) => (heard += bytes));
  socket.on('error', () => {}); // 'close' follows
  await new Promise((done) => socket.once('connect', done));
  return { link, port, socket, heard: () => heard, counts };
}

test('what is said arrives, and so does the answer', async () => {
  const { socket, heard } = await through();
  socket.write('hello');
  await expect.poll(heard).toBe('echo hello');
});

test('an answer takes a round trip', async () => {
  const { socket, heard } = await through(60);
  const began = performance.now();
  socket.write('hello');
  await expect.poll(heard, { interval: 5 }).toBe('echo hello');
  expect(performance.now() - began).toBeGreaterThan(58); // 60, and timers that round
});

test('each end learns that the other has ended, and the connection is counted in and out', async () => {
  const { socket, counts } = await through();
  await expect.poll(() => counts).toEqual([1]);
  const ended = once(accepted[0] as Socket, 'end');
  socket.end();
  await Promise.all([ended, once(socket, 'close')]);
  await expect.poll(() => counts).toEqual([1, -1]);
});

test('a stall holds everything, and then it arrives in order', async () => {
  const { link, socket, heard } = await through();
  socket.write('one');
  await expect.poll(heard).toBe('echo one');
  const began = performance.now();
  link.stall(200);
  socket.write('two');
  await once(socket, 'data');
  expect(performance.now() - began).toBeGreaterThanOrEqual(200);
  expect(heard()).toBe('echo oneecho two');
});

test('after a silence neither end hears anything, not even the other one leaving; a new connection works', async () => {
  const { link, port, socket, heard, counts } = await through();
  socket.write('one');
  await expect.poll(heard).toBe('echo one');
  const [old] = accepted;
  let isOver = false;
  old?.on('close', () => (isOver = true));
  link.silence();
  socket.end('two');
  await once(socket, 'close');
  const again = connect(port, '127.0.0.1').on('error', () => {});
  again.write('three');
  await once(again, 'data');
  expect(heard()).toBe('echo one');
  expect(isOver).toBe(false);
  expect(counts).toEqual([1, 1]);
  old?.end();
  await expect.poll(() => counts).toEqual([1, 1, -1]);
});

test('a cut resets both ends', async () => {
  const { link, socket } = await through();
  await expect.poll(() => accepted.length).toBe(1);
  const both = [socket, accepted[0]].map((end) => new Promise((done) => end?.once('close', done)));
  link.cut();
  await Promise.all(both);
});

test('where nobody listens the device is told', async () => {
  server.close();
  const { socket } = await through();
  await new Promise((done) => socket.once('close', done));
});

test('more than the link holds at a time arrives whole', async () => {
  const { socket } = await through(20);
  await expect.poll(() => accepted.length).toBe(1);
  let received = 0;
  socket.removeAllListeners('data').on('data', ({ length }) => (received += length));
  const bytes = 4 * 1024 * 1024;
  accepted[0]?.end(Buffer.alloc(bytes));
  await once(socket, 'end');
  expect(received).toBe(bytes);
});
