// How many connections a server has at a time, and has had at most.

export class Peak {
  open = 0;
  most = 0;
  /** All that ever were. */
  total = 0;

  constructor(readonly parent?: Peak) {}

  readonly count = (change: 1 | -1): void => {
    this.open += change;
    this.most = Math.max(this.most, this.open);
    if (change > 0) this.total++;
    this.parent?.count(change);
  };
}
