// The panel behind the delay: how long a danmaku takes from stamp to stamp. It measures nothing, and asks only while open.

const EVERY_MS = 2_000;
const ANSWER_MS_MAX = 5_000;

export class Hops {
  #timer = 0;
  #turn = 0; // an answer to an older turn is void
  #rows = new Map();

  /** `parts` are {button, panel, table, note, close}; `ask(url)` is fetch unless a test brings another. */
  constructor(parts, words, ask = fetchSoon) {
    Object.assign(this, parts, { words, ask });
    this.button.addEventListener('click', () => this.open(this.panel.hidden));
    this.close.addEventListener('click', () => this.open(false));
    document.addEventListener('keydown', (event) => event.key === 'Escape' && this.open(false));
    document.addEventListener('pointerdown', (event) => {
      if (!this.panel.contains(event.target) && !this.button.contains(event.target)) this.open(false);
    });
  }

  /** Opens or closes; closing gives the focus in the panel back to the button. */
  open(isOpen) {
    if (isOpen !== this.panel.hidden) return;
    clearTimeout(this.#timer);
    this.#turn += 1;
    const hadFocus = this.panel.contains(document.activeElement);
    this.panel.hidden = !isOpen;
    this.button.setAttribute('aria-expanded', String(isOpen));
    if (isOpen) this.#ask(this.#turn);
    else if (hadFocus) this.button.focus();
  }

  async #ask(turn) {
    const seen = document.hidden ? null : await look(this.ask);
    if (turn !== this.#turn) return;
    if (seen) this.#show(seen);
    // Who keeps it to himself now will do so in two seconds.
    if (seen?.kind !== 'elsewhere') this.#timer = setTimeout(() => this.#ask(turn), EVERY_MS);
  }

  #show({ kind, overMs, hops }) {
    const { hops: words } = this.words;
    this.panel.dataset.kind = kind;
    this.table.hidden = kind === 'elsewhere';
    this.note.textContent = kind === 'shown' ? words.over(Math.round((overMs ?? 0) / 1000)) : words[kind];
    for (const row of rowsOf(hops)) this.#draw(row);
  }

  #draw({ hop, p50, p99, half, most }) {
    const row = this.#row(hop);
    row.half.style.width = `${half}%`;
    row.most.style.width = `${most}%`;
    row.p50.textContent = this.words.milliseconds(p50);
    row.p99.textContent = this.words.milliseconds(p99);
  }

  #row(hop) {
    if (this.#rows.has(hop)) return this.#rows.get(hop);
    const node = document.createElement('tr');
    const name = piece('th', '', this.words.hops.names[hop] ?? hop);
    name.scope = 'row';
    const bar = piece('td', 'hop-bar');
    bar.setAttribute('aria-hidden', 'true');
    const row = { most: piece('i', 'is-most'), half: piece('i', 'is-half'), p50: piece('td'), p99: piece('td') };
    bar.append(row.most, row.half);
    node.append(name, bar, row.p50, row.p99);
    this.table.tBodies[0].append(node);
    this.#rows.set(hop, row);
    return row;
  }
}

/** What the server says of its hops: {kind: shown, overMs, hops}, or who keeps them: elsewhere; or nobody: silent. */
export async function look(ask) {
  try {
    const answer = await ask('/dev/hops');
    if (answer.status === 403 || answer.status === 404) return { kind: 'elsewhere', hops: [] };
    const { over_ms: overMs, hops } = answer.ok ? await answer.json() : {};
    return Array.isArray(hops) ? { kind: 'shown', overMs, hops } : { kind: 'silent', hops: [] };
  } catch {
    return { kind: 'silent', hops: [] };
  }
}

/** A row for each hop, its bars in per cent of the slowest hop's 99th percentile. */
export function rowsOf(hops) {
  const slowest = Math.max(0, ...hops.map((one) => one.p99_ms ?? 0));
  const share = (ms) => (slowest > 0 ? Math.min(100, (100 * (ms ?? 0)) / slowest) : 0);
  return hops.map(({ hop, p50_ms: p50, p99_ms: p99 }) => ({ hop, p50, p99, half: share(p50), most: share(p99) }));
}

function piece(tag, look, text = '') {
  const node = document.createElement(tag);
  node.className = look;
  node.textContent = text;
  return node;
}

const fetchSoon = (url) => fetch(url, { cache: 'no-store', signal: AbortSignal.timeout(ANSWER_MS_MAX) });
