// The few words of the overlay, in Chinese and English.

export interface OverlayWords {
  lang: string;
  connecting: string;
  /** Connected, and nothing said yet: so nobody takes an empty overlay for a broken one. */
  quiet: string;
  waiting: string;
  stopped(code: number): string;
  gift(name: string, count: number): string;
}

const zh: OverlayWords = {
  lang: 'zh-CN',
  connecting: '连接中…',
  quiet: '已连接，还没有人说话',
  waiting: '连接断开，正在重连…',
  stopped: (code) => (code === 4501 ? '这个房间需要凭证：在地址里加上 token=' : `已断开（${code}），稍后再试`),
  gift: (name, count) => `${name} ×${count}`,
};

const en: OverlayWords = {
  lang: 'en',
  connecting: 'Connecting…',
  quiet: 'Connected, nothing said yet',
  waiting: 'Disconnected, coming back…',
  stopped: (code) =>
    code === 4501 ? 'This room wants a token: add token= to the address' : `Disconnected (${code}), trying again later`,
  gift: (name, count) => `${name} ×${count}`,
};

export function overlayWords(languages: readonly string[]): OverlayWords {
  const first = languages.find((tag) => /^(zh|en)\b/i.test(tag)) ?? 'en';
  return /^zh/i.test(first) ? zh : en;
}
