// Who takes part: a viewer at his page, somebody who speaks without one, a moderator at the console or without it. A room a test, so
// that none hears another.

import type { Locator, Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { DESKTOP, SOON_MS, type Visit } from './visit.js';

let rooms = 0;

/** A room that nobody was in. */
export const newRoom = (): string => `browser-${process.pid}-${Date.now()}-${(rooms += 1)}`;

/** Somebody at the viewer page, which is live. */
export class Viewer {
  private constructor(readonly page: Page) {}

  static async enter(visit: Visit, room: string, name: string, url = ''): Promise<Viewer> {
    const viewer = new Viewer(await visit(`${url}/?room=${room}&name=${name}`));
    await viewer.isLive();
    await viewer.page.locator('#list').click();
    return viewer;
  }

  async isLive(): Promise<void> {
    await this.page.locator('#bar[data-state=live]').waitFor();
  }

  async say(text: string): Promise<void> {
    await this.page.locator('#text').fill(text);
    await this.page.locator('#text').press('Enter');
  }

  /** What flies, or stands, over the stage. */
  flying(text: string): Locator {
    return this.page.locator('.line', { hasText: text });
  }

  /** The rows of the list, which keeps a hundred. */
  rows(text = ''): Locator {
    return this.page.locator('#lines li', { hasText: text });
  }

  /** Once, however long one looks: what comes twice comes within what was said before `text`. */
  async sees(...texts: string[]): Promise<void> {
    for (const text of texts) await this.rows(text).first().waitFor();
    for (const text of texts) expect(await this.rows(text).count(), text).toBe(1);
  }
}

/** Asks the services as somebody with these roles. */
export class Caller {
  private constructor(
    private readonly url: string,
    readonly token: string,
    readonly id: string,
  ) {}

  static async as(url: string, name: string, roles = 'viewer,sender'): Promise<Caller> {
    const answer = await fetch(`${url}/dev/token?${new URLSearchParams({ name, roles })}`);
    const { token, user } = (await answer.json()) as { token: string; user: { id: string } };
    return new Caller(url, token, user.id);
  }

  /** The id under which the door took it. */
  async say(room: string, text: string): Promise<string> {
    const { id } = await this.ask('POST', `/v1/rooms/${room}/danmaku`, { text });
    return String(id);
  }

  /** Until the filters judge by the room's book as it is now. */
  async isJudgedBy(room: string): Promise<void> {
    const { version } = (await this.ask('GET', `/v1/moderation/lists?room=${room}`)) as { version: { number: number } };
    const judgedBy = async () => {
      const metrics = await (await fetch(`${inject('admin')}/metrics`)).text();
      return Number(/^danmaku_filter_rules_version (\d+)$/m.exec(metrics)?.[1]);
    };
    await expect.poll(judgedBy, { timeout: SOON_MS }).toBeGreaterThanOrEqual(version.number);
  }

  async ask(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const headers = { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' };
    const answer = await fetch(this.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Record<string, unknown>;
  }
}

/** A moderator at the console, which hears the room and what other moderators do. */
export async function console(visit: Visit, room: string, moderator: Caller, before = async (_: Page) => {}): Promise<Page> {
  const page = await visit(`/console?room=${room}#token=${moderator.token}`, { viewport: DESKTOP, before });
  await page.locator('.lines.is-well').waitFor();
  return page;
}
