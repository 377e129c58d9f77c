// What the bench's crowd says: lengths and repeats as measured in live rooms (half of all texts were said before, most are
// short), with some gifts and super-chats between. Pure, the same in every run.

/** Said by many at once. */
const ALONE = ['666', '哈哈哈哈', '？', '？？？', '好耶', 'GG', '草', '来了来了', '👏👏👏', 'wow'];
const OPENINGS = ['这波', '刚才那下', '主播', '今天', '等等', '说真的', 'honestly', '第一次来'];
const MIDDLES = ['真的', '还是', '居然', '差一点', '每次', '果然'];
const ENDINGS = ['太漂亮了', '可以可以', '有点东西', '好听', '稳住', '看呆了', '🎉🎉', 'nice one', '再来一次好不好'];
const COLORS = ['#ffd166', '#06d6a0', '#8ecae6', '#ff8fab', '#cdb4db'];

/** In a thousand: gifts at 200 a second are one a second, super-chats one in five. */
const SHARE = { gift: 5, super: 1, top: 8, bottom: 8, large: 20, small: 20, colored: 250, alone: 430 };
const PEOPLE = 3_000;

export function crowd(seed = 1): (number: number, at: number) => object {
  const random = seeded(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const isOne = (share: number) => random() * 1_000 < share;
  return (number, at) => {
    const user = { id: `u${Math.floor(random() * PEOPLE)}`, name: `Viewer ${Math.floor(random() * PEOPLE)}`, level: 3 };
    const message = { id: `1-0-${number}`, at, user };
    if (isOne(SHARE.gift))
      return { ...message, kind: 'gift', data: { gift: 'rose', name: '玫瑰', count: 1, value: 10 } };
    if (isOne(SHARE.super))
      return {
        ...message,
        kind: 'super',
        text: pick(ENDINGS),
        data: { amount_minor: 3_000, currency: 'CNY', show_ms: 12_000 },
      };
    const text = isOne(SHARE.alone)
      ? pick(ALONE)
      : `${pick(OPENINGS)}${pick(MIDDLES)}${pick(ENDINGS)} ${Math.floor(random() * 50)}`;
    return {
      ...message,
      text,
      ...(isOne(SHARE.colored) && { color: pick(COLORS) }),
      ...(isOne(SHARE.top) ? { position: 'top' } : isOne(SHARE.bottom) && { position: 'bottom' }),
      ...(isOne(SHARE.large) ? { size: 'large' } : isOne(SHARE.small) && { size: 'small' }),
    };
  };
}

function seeded(state: number): () => number {
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
