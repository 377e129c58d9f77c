// Who did what, to whom and why: the audit log, the newest first.

import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { AuditRow } from '../api/shapes';
import { type Open, usePage } from '../frame/page';
import { Button, Check, Said } from '../frame/parts';
import { save } from '../frame/save';
import { clock } from '../frame/time';
import { words } from '../frame/words';
import { SYSTEM } from '../live/desk';
import { End } from './end';
import { found, said } from './rows';

/** Rows on the screen; who wants more searches, or takes the file. */
const SHOWN_MAX = 300;

export function Log({ open }: { open: Open }) {
  const w = words.value;
  const isOnly = useSignal(false);
  const isPeople = useSignal(false);
  const find = useSignal('');
  // Each deed of this room is a new row.
  const rows = useRows(isOnly.value ? open.room.name : undefined, open.room.desk.deeds.value[0]?.number);
  const shown = found(rows ?? [], find.value).filter(({ actor }) => !isPeople.value || actor !== SYSTEM);
  return (
    <div class="log">
      <header>
        <input id="search" type="search" placeholder={w.log.find} aria-label={w.log.find} value={find.value} onInput={(event) => (find.value = event.currentTarget.value)} />
        <Check label={w.log.only} checked={isOnly.value} onChange={(is) => (isOnly.value = is)} />
        <Check label={w.log.people} checked={isPeople.value} onChange={(is) => (isPeople.value = is)} />
        <Whole />
      </header>
      {rows === undefined && <p class="hint">{w.load}</p>}
      {rows && shown.length === 0 && <p class="hint">{w.nothing}</p>}
      {shown.length > 0 && <Table rows={shown.slice(0, SHOWN_MAX)} />}
      {shown.length > SHOWN_MAX && <p class="dim">{w.log.trimmed(SHOWN_MAX)}</p>}
    </div>
  );
}

/** The end of the log, the newest first; read on at each deed. */
function useRows(room: string | undefined, deed: number | undefined): readonly AuditRow[] | undefined {
  const { api, notes } = usePage();
  const rows = useSignal<readonly AuditRow[] | undefined>(undefined);
  const end = useMemo(() => new End((after) => api.audit(room, after)), [room]);
  useEffect(() => {
    let isShown = true;
    void end.read().then((refusal) => {
      if (!isShown) return;
      if (refusal) notes.say(words.peek().refused(refusal), 'no');
      else rows.value = end.rows();
    });
    return () => void (isShown = false);
  }, [end, deed]);
  return rows.value;
}

/** Whether the log is what was written, and all of it as a file. */
function Whole() {
  const w = words.value;
  const { api, notes } = usePage();
  const told = useSignal<{ text: string; isWhole: boolean } | undefined>(undefined);
  const verify = async () => {
    const answer = await api.verify();
    if (!answer.ok) return notes.say(w.refused(answer.refusal), 'no');
    const { whole, rows, head, broken_at } = answer.value;
    told.value = { isWhole: whole, text: whole ? w.log.whole(rows, head) : w.log.broken(broken_at ?? 0) };
  };
  const take = async () => {
    const answer = await api.auditFile();
    if (answer.ok) save(answer.value, 'audit.ndjson');
    else notes.say(w.refused(answer.refusal), 'no');
  };
  return (
    <>
      <Button onClick={() => void verify()}>{w.log.verify}</Button>
      <Button onClick={() => void take()}>{w.log.export}</Button>
      {told.value && <span class={told.value.isWhole ? 'verdict is-clean' : 'verdict is-broken'}>{told.value.text}</span>}
    </>
  );
}

function Table({ rows }: { rows: AuditRow[] }) {
  const w = words.value;
  const page = usePage();
  const names = [w.log.when, w.log.who, w.log.what, w.log.where, w.log.on, w.log.why];
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label={w.screens.log}>
      <table class="table">
        <thead>
          <tr>
            {names.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.sequence}>
              <td>
                <time>{clock(row.at_ms, Date.now(), w.lang)}</time> <span class="dim">{row.sequence}</span>
              </td>
              <td>
                <Said>{page.who(row.actor)}</Said>
              </td>
              <td>
                <i class="tag">{w.log.acts[row.act] ?? row.act}</i>
              </td>
              <td>
                <Said>{row.scope}</Said>
              </td>
              <td>
                <Details row={row} />
              </td>
              <td>
                <Said>{row.reason}</Said>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Details({ row }: { row: AuditRow }) {
  const w = words.value;
  const sides = [
    [w.log.before, said(row.before)],
    [w.log.after, said(row.after)],
  ] as const;
  return (
    <details>
      <summary>
        <Said>{row.subject || '–'}</Said>
      </summary>
      {sides.map(
        ([side, fields]) =>
          fields.length > 0 && (
            <dl key={side}>
              <dt>{side}</dt>
              {fields.map(({ name, value }) => (
                <dd key={name}>
                  <span class="dim">{name}</span> <Said>{value}</Said>
                </dd>
              ))}
            </dl>
          ),
      )}
    </details>
  );
}
