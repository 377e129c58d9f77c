// The panel that chooses color, place, size and name of one's own lines; it sends nothing.

const COLORS = ['#ffffff', '#ff7a9c', '#ffb454', '#ffe66d', '#7df5b0', '#6fd6ff', '#a48bff', '#ff6bff'];
const DEFAULTS = { color: '#ffffff', position: 'scroll', size: 'normal' };

export class Looks {
  /** `parts` are {button, panel, name}; `onRename(name)` hears of a new name. */
  constructor(parts, words, onRename) {
    Object.assign(this, parts, { words });
    this.picked = { ...DEFAULTS };
    for (const group of this.panel.querySelectorAll('[data-choose]')) this.#fill(group);
    this.button.addEventListener('click', () => this.open(this.panel.hidden));
    this.panel.addEventListener('keydown', (event) => event.key === 'Escape' && this.open(false));
    this.name.addEventListener('change', () => this.name.value.trim() && onRename(this.name.value.trim()));
    document.addEventListener('pointerdown', (event) => {
      if (!this.panel.contains(event.target) && !this.button.contains(event.target)) this.open(false);
    });
  }

  /** Only what differs from the wire's defaults. */
  get chosen() {
    return Object.fromEntries(Object.entries(this.picked).filter(([key, value]) => value !== DEFAULTS[key]));
  }

  open(isOpen) {
    const hadFocus = this.panel.contains(document.activeElement);
    this.panel.hidden = !isOpen;
    this.button.setAttribute('aria-expanded', String(isOpen));
    if (isOpen) this.panel.querySelector('input:checked').focus();
    else if (hadFocus) this.button.focus();
  }

  #fill(group) {
    const what = group.dataset.choose;
    const options = what === 'color' ? COLORS : Object.keys(this.words[what]);
    group.append(...options.map((value) => this.#option(what, value)));
  }

  #option(what, value) {
    const label = document.createElement('label');
    const input = document.createElement('input');
    Object.assign(input, { type: 'radio', name: what, value, checked: value === DEFAULTS[what] });
    input.addEventListener('change', () => this.#pick(what, value));
    const face = document.createElement('span');
    if (what === 'color') {
      face.className = 'swatch';
      face.style.backgroundColor = value;
      input.setAttribute('aria-label', value);
    } else {
      face.textContent = this.words[what][value];
    }
    label.append(input, face);
    return label;
  }

  #pick(what, value) {
    this.picked[what] = value;
    if (what === 'color') this.button.style.color = value;
  }
}
