// @vitest-environment happy-dom
// The news of a browser, and the panel in one.

import { expect, test } from 'vitest';
import { machine, type News } from '../src/env.js';
import { debugPanel } from '../src/panel.js';
import { World } from './fake.js';

test('news come from network and page, first whether it is seen, until nobody listens any more', () => {
  const network = Object.assign(new EventTarget(), { type: 'wifi' });
  Object.defineProperty(navigator, 'connection', { value: network, configurable: true });
  const heard: News[] = [];
  const end = machine().watch((news) => heard.push(news));
  window.dispatchEvent(new Event('offline'));
  window.dispatchEvent(new Event('online'));
  network.dispatchEvent(new Event('change'));
  network.type = 'cellular';
  network.dispatchEvent(new Event('change'));
  Object.defineProperty(document, 'hidden', { value: true, configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
  machine().watch((news) => heard.push(news))();
  Object.defineProperty(document, 'hidden', { value: false, configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
  end();
  window.dispatchEvent(new Event('online'));
  expect(heard).toEqual(['shown', 'offline', 'online', 'changed', 'hidden', 'hidden', 'shown']);
});

test('the machine’s time does not step back, and a timer can be called off', async () => {
  const { now, timer } = machine();
  expect(now()).toBeGreaterThan(1.7e12);
  const ran: string[] = [];
  timer(1, () => ran.push('no'))();
  await new Promise<void>((done) => timer(5, done));
  expect(ran).toEqual([]);
});

test('the panel shows the inside, follows it, and leaves nothing', async () => {
  const world = new World();
  const room = await world.open();
  const element = document.createElement('section');
  const end = debugPanel(room, element);
  const fact = (name: string) =>
    [...element.querySelectorAll('dt')].find(({ textContent }) => textContent === name)?.nextElementSibling
      ?.textContent;
  expect([fact('state'), fact('roundTripMs')]).toEqual(['connecting', '–']);
  world.socket.ends(1006, '<img onerror>');
  expect(fact('state')).toBe('waiting');
  expect(element.querySelector('li')?.textContent).toContain('waiting: <img onerror>');
  expect(element.querySelector('img')).toBeNull();
  end();
  expect(element.childNodes.length).toBe(0);
});
