// The fold-out list of the last hundred messages as text; it keeps them folded or not, and draws only when open.

const KEPT_MAX = 100;

export class History {
  #kept = []; // {message, own, earlier, node}, the oldest first
  #isDue = false;

  /** `parts` are {panel, list, button, close}. */
  constructor(parts, words) {
    Object.assign(this, parts);
    this.words = words;
    this.button.addEventListener('click', () => this.open(this.panel.hidden));
    this.close.addEventListener('click', () => this.open(false));
    this.panel.addEventListener('keydown', (event) => event.key === 'Escape' && this.open(false));
    this.open(false);
  }

  /** Unfolds or folds; folding gives the focus back to the button that unfolds. */
  open(isOpen) {
    const hadFocus = this.panel.contains(document.activeElement);
    this.panel.hidden = !isOpen;
    document.body.classList.toggle('has-history', isOpen);
    this.button.setAttribute('aria-expanded', String(isOpen));
    if (!isOpen && hadFocus) this.button.focus();
    if (!isOpen) return;
    this.#draw();
    this.list.scrollTop = this.list.scrollHeight;
  }

  add(message, own, earlier) {
    this.#kept.push({ message, own, earlier });
    this.#due();
  }

  remove(matches) {
    this.#kept = this.#kept.filter((one) => {
      const isMatch = matches(one.message);
      if (isMatch) one.node?.remove();
      return !isMatch;
    });
  }

  markOwn(id) {
    const found = this.#kept.find(({ message }) => message.id === id);
    if (!found) return;
    found.own = true;
    found.node?.classList.add('is-own');
  }

  #due() {
    if (this.#isDue) return;
    this.#isDue = true;
    // Not an animation frame: a hidden page would let the list grow without end.
    setTimeout(() => {
      this.#isDue = false;
      for (const { node } of this.#kept.splice(0, this.#kept.length - KEPT_MAX)) node?.remove();
      if (!this.panel.hidden) this.#draw();
    }, 120);
  }

  /** Adds what is not drawn yet, and follows the end unless the reader has scrolled up. */
  #draw() {
    const follows = this.list.scrollHeight - this.list.scrollTop - this.list.clientHeight < 48;
    const fresh = this.#kept.filter((one) => !one.node);
    for (const one of fresh) one.node = this.#row(one);
    this.list.append(...fresh.map((one) => one.node));
    if (follows) this.list.scrollTop = this.list.scrollHeight;
  }

  #row({ message, own, earlier }) {
    const row = document.createElement('li');
    row.className = `row is-${message.kind ?? 'chat'}`;
    row.classList.toggle('is-own', own);
    row.classList.toggle('is-earlier', earlier);
    const name = piece('bdi', 'row-name', message.user?.name || message.user?.id || this.words.system);
    name.style.color = tintOf(message.user?.id ?? '');
    row.append(piece('time', 'row-time', timeOf(message.at)), ...badgesOf(message.user), name);
    row.append(piece('bdi', 'row-text', this.words.said(message)));
    return row;
  }
}

function piece(tag, look, text) {
  const node = document.createElement(tag);
  node.className = look;
  node.textContent = text;
  return node;
}

function badgesOf(user) {
  const badges = Array.isArray(user?.badges) ? user.badges.slice(0, 2) : [];
  return badges.map((badge) => piece('span', 'row-badge', String(badge).slice(0, 12)));
}

function timeOf(at) {
  return Number.isFinite(at) ? new Date(at).toTimeString().slice(0, 8) : '';
}

/** One person, one tint, in this page and the next. */
function tintOf(id) {
  let sum = 7;
  for (const letter of id) sum = (sum * 31 + letter.codePointAt(0)) % 360;
  return `hsl(${sum} 75% 76%)`;
}
