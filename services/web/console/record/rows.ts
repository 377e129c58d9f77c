// The log as rows to read: found by a word, and what was before and after as fields. Pure.

import type { AuditRow } from '../api/shapes';

/** A row that holds the word anywhere that a reader looks. */
export function found(rows: readonly AuditRow[], find: string): AuditRow[] {
  const word = find.trim().toLowerCase();
  if (word === '') return [...rows];
  return rows.filter(({ act, scope, actor, subject, reason, after }) =>
    [act, scope, actor, subject, reason, after].some((text) => text.toLowerCase().includes(word)),
  );
}

export interface Said {
  name: string;
  value: string;
}

/** A JSON object's fields in words; anything else as it stands. */
export function said(json: string): Said[] {
  if (json === '') return [];
  try {
    const body: unknown = JSON.parse(json);
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) {
      return Object.entries(body).map(([name, value]) => ({ name, value: typeof value === 'string' ? value : JSON.stringify(value) }));
    }
  } catch {
    // Not JSON: it is shown as it stands.
  }
  return [{ name: '', value: json }];
}
