// Trying: what would become of a text by the book and by drafts, and what a draft would have changed in what was said of late.

import { useSignal } from '@preact/signals';
import type { Listed, Outcome, Sample, Tested } from '../api/shapes';
import { type Open, usePage } from '../frame/page';
import { Button, Field, Said, Select } from '../frame/parts';
import { words } from '../frame/words';
import type { Shelf } from './shelf';
import { Trace } from './trace';

const ROLES = ['sender', 'moderator', 'streamer', 'service'] as const;

export function TryView({ shelf, list, open }: { shelf: Shelf; list: Listed; open: Open }) {
  return (
    <div class="try">
      <DryRun shelf={shelf} list={list} open={open} />
      {list.mode !== 'enforce' && <BackTest list={list} open={open} />}
    </div>
  );
}

function DryRun({ shelf, list, open }: { shelf: Shelf; list: Listed; open: Open }) {
  const w = words.value;
  const { api, notes } = usePage();
  const text = useSignal('');
  const role = useSignal<(typeof ROLES)[number]>('sender');
  const drafts = useSignal<readonly string[]>(list.mode === 'draft' ? [list.name] : []);
  const outcome = useSignal<Outcome | undefined>(undefined);
  const all = (shelf.lists.value ?? []).filter(({ mode }) => mode === 'draft').map(({ name }) => name);
  const go = async (event: Event) => {
    event.preventDefault();
    const lines = text.value.split('\n').filter((line) => line.trim() !== '');
    const what = lines.length === 1 ? { text: lines[0] ?? '' } : { texts: lines };
    const answer = await api.dryRun({ ...what, room: shelf.scope ?? open.room.name, role: role.value, drafts: [...drafts.value] });
    outcome.value = answer.ok ? answer.value : undefined;
    if (!answer.ok) notes.say(w.refused(answer.refusal), 'no');
  };
  const flip = (name: string) => (drafts.value = drafts.value.includes(name) ? drafts.value.filter((draft) => draft !== name) : [...drafts.value, name]);
  return (
    <section>
      <form class="form" onSubmit={(event) => void go(event)}>
        <Field label={w.try.text} wide>
          <textarea id="search" rows={3} dir="auto" value={text.value} onInput={(event) => (text.value = event.currentTarget.value)} />
        </Field>
        <Select label={w.try.role} options={ROLES} names={w.try.roles} value={role.value} onChange={(to) => (role.value = to)} />
        {all.length > 0 && (
          <div class="segments is-many" role="group" aria-label={w.try.drafts}>
            <span>{w.try.drafts}:</span>
            {all.map((name) => (
              <button key={name} type="button" aria-pressed={drafts.value.includes(name)} onClick={() => flip(name)}>
                {name}
              </button>
            ))}
          </div>
        )}
        <button type="submit" class="button is-main" disabled={text.value.trim() === ''}>
          {w.try.go}
        </button>
      </form>
      {outcome.value === undefined ? <p class="dim">{w.try.lead}</p> : <Tried outcome={outcome.value} />}
    </section>
  );
}

function Tried({ outcome }: { outcome: Outcome }) {
  const w = words.value;
  return (
    <div role="status">
      {outcome.texts > 1 && <p class="verdict">{w.try.result(outcome.found, outcome.texts)}</p>}
      <ol class="tried">
        {outcome.tried.map((tried) => (
          <li key={tried.line}>
            {outcome.texts > 1 && <Said class="text">{tried.text}</Said>}
            <Trace tried={tried} />
          </li>
        ))}
      </ol>
    </div>
  );
}

function BackTest({ list, open }: { list: Listed; open: Open }) {
  const w = words.value;
  const { api, notes } = usePage();
  const minutes = useSignal(10);
  const tested = useSignal<Tested | undefined>(undefined);
  const go = async () => {
    const answer = await api.backTest(open.room.name, { minutes: minutes.value, list: list.name });
    tested.value = answer.ok ? answer.value : undefined;
    if (!answer.ok) notes.say(w.refused(answer.refusal), 'no');
  };
  const told = tested.value;
  return (
    <section class="back-test">
      <h3>{w.try.back}</h3>
      <p class="dim">{w.try.backLead(list.name, open.room.name)}</p>
      <div class="form">
        <Field label={w.try.minutes}>
          <input type="number" min={1} max={60} value={minutes.value} onChange={(event) => (minutes.value = Math.max(1, Math.min(60, Number(event.currentTarget.value) || 10)))} />
        </Field>
        <Button onClick={() => void go()}>{w.try.backGo}</Button>
      </div>
      {told && (
        <div role="status">
          <p class="verdict">
            {w.try.looked(told.looked_at, told.whole)} · {w.try.fresh(told.new.count)} · {w.try.lost(told.lost.count)} · {w.try.otherwise(told.otherwise)}
          </p>
          <Samples head={w.try.fresh(told.new.count)} samples={told.new.samples} />
          <Samples head={w.try.lost(told.lost.count)} samples={told.lost.samples} />
        </div>
      )}
    </section>
  );
}

function Samples({ head, samples }: { head: string; samples: Sample[] }) {
  const w = words.value;
  if (samples.length === 0) return null;
  return (
    <details open>
      <summary>{head}</summary>
      <ul class="samples">
        {samples.map(({ id, user, text, action }) => (
          <li key={id}>
            <i class={`tag is-${action}`}>{w.book.actions[action] ?? action}</i>
            <Said class="dim">{user}</Said>
            <Said>{text}</Said>
          </li>
        ))}
      </ul>
    </details>
  );
}
