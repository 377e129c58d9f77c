// The end of the audit log, gone on with from where it was read to: the service tells the log from its beginning. Which log is asked
// for, and what is shown of it, is kept out.

import type { Answer, Refusal } from '../api/client';
import type { AuditRow } from '../api/shapes';

/** At 500 B a row 2.5 MB. */
const KEPT_MAX = 5_000;
export const PAGE = 1_000;

export type Ask = (after: number) => Promise<Answer<{ rows: AuditRow[] }>>;

export class End {
  private kept: AuditRow[] = [];
  private last = 0;
  private reading: Promise<Refusal | undefined> = Promise.resolve(undefined);

  constructor(private readonly ask: Ask) {}

  /** The newest first. */
  rows(): AuditRow[] {
    return this.kept.toReversed();
  }

  /** Reads what came since, behind what is being read; why not, if it cannot. */
  read(): Promise<Refusal | undefined> {
    this.reading = this.reading.then(() => this.go());
    return this.reading;
  }

  private async go(): Promise<Refusal | undefined> {
    for (;;) {
      const answer = await this.ask(this.last);
      if (!answer.ok) return answer.refusal;
      const { rows } = answer.value;
      this.last = rows.at(-1)?.sequence ?? this.last;
      this.kept = [...this.kept, ...rows].slice(-KEPT_MAX);
      if (rows.length < PAGE) return undefined;
    }
  }
}
