// The cards for gifts and super-chats at the stage's foot; plain chat is none of its business.

const CARDS_MAX = 3;
const GIFT_MS = 5_000;
const SUPER_MS_MIN = 5_000;
const SUPER_MS_MAX = 60_000;

export class Banners {
  #cards = []; // {node, key, count, message, timer}, the oldest first

  constructor(element, words) {
    this.element = element;
    this.words = words;
  }

  show(message) {
    const data = message.data ?? {};
    return message.kind === 'super' ? this.#super(message, data) : this.#gift(message, data);
  }

  remove(matches) {
    for (const card of this.#cards.filter(({ message }) => matches(message))) this.#end(card);
  }

  #super(message, data) {
    const stay = Math.min(SUPER_MS_MAX, Math.max(SUPER_MS_MIN, Number(data.show_ms) || SUPER_MS_MIN));
    const card = this.#card('card is-super', message);
    card.node.append(
      piece('card-name', nameOf(message)),
      piece('card-sum', sumOf(data)),
      piece('card-text', message.text ?? ''),
    );
    this.#keep(card, stay);
  }

  /** The same gift from the same person counts up on the card that is there. */
  #gift(message, data) {
    const name = String(data.name ?? data.gift ?? '');
    const key = `${message.user?.id}|${data.gift ?? name}`;
    const count = Number(data.count) || 1;
    const known = this.#cards.find((card) => card.key === key);
    const card = known ?? this.#card('card is-gift', message);
    card.key = key;
    card.count = (card.count ?? 0) + count;
    card.node.replaceChildren(
      piece('card-name', nameOf(message)),
      piece('card-text', this.words.gave(name)),
      piece('card-sum', `×${card.count}`),
    );
    this.#keep(card, GIFT_MS);
  }

  #card(look, message) {
    const node = document.createElement('div');
    node.className = look;
    return { node, message };
  }

  #keep(card, stayMs) {
    clearTimeout(card.timer);
    card.timer = setTimeout(() => this.#end(card), stayMs);
    if (this.#cards.includes(card)) return;
    this.#cards.push(card);
    this.element.append(card.node);
    // A gift makes room before a super-chat that was paid to stay.
    if (this.#cards.length > CARDS_MAX) this.#end(this.#cards.find((one) => one.key) ?? this.#cards[0]);
  }

  #end(card) {
    clearTimeout(card.timer);
    this.#cards = this.#cards.filter((one) => one !== card);
    card.node.remove();
  }
}

function piece(look, text) {
  const node = document.createElement('bdi');
  node.className = look;
  node.textContent = text;
  return node;
}

const nameOf = (message) => message.user?.name || message.user?.id || '';

function sumOf({ amount_minor: minor, currency }) {
  try {
    const format = new Intl.NumberFormat(navigator.language, { style: 'currency', currency });
    return format.format(minor / 10 ** format.resolvedOptions().maximumFractionDigits);
  } catch {
    return '';
  }
}
