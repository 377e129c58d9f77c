// The chosen message from near: all of it, its verdict and why, and what can be done about it.

import { useEffect, useState } from 'preact/hooks';
import type { Tried } from '../api/shapes';
import { Trace } from '../book/trace';
import type { Act } from '../frame/keys';
import { usePage } from '../frame/page';
import { Button, Glyph, Said } from '../frame/parts';
import { clock } from '../frame/time';
import { words } from '../frame/words';
import type { Desk } from './desk';
import type { Names } from './names';
import type { Fate, Line } from './river';
import { parts } from './text';

interface Near {
  line: Line;
  desk: Desk;
  names: Names;
  onAct: (act: Act) => void;
  /** Rises when the question is put. */
  asks: number;
}

export function Inspector({ line, desk, names, onAct, asks }: Near) {
  const w = words.value;
  const fate = line.fate.value;
  const acts: Act[] = fate.verdict === 'held' ? ['approve', 'reject'] : ['allow'];
  const canRecall = fate.recalledBy === undefined && ['passed', 'flagged', 'masked', 'approved'].includes(fate.verdict);
  return (
    <section class="near" aria-label={w.acts.why} aria-live="polite">
      <header>
        <strong>
          <Said>{line.name || line.user || w.nobody}</Said>
        </strong>
        <Said class="id">{line.user}</Said>
        {line.level > 0 && <span>{w.river.level(line.level)}</span>}
        <time>{clock(line.at, desk.now(), w.lang)}</time>
        <Button onClick={() => onAct('leave')} label={w.acts.leave}>
          <Glyph name="close" />
        </Button>
      </header>
      <p class="near-text">
        <bdi class="said" dir="auto">
          {parts(line.text, fate.hits ?? []).map((part) => (part.isFound ? <mark>{part.text}</mark> : part.text))}
        </bdi>
      </p>
      <Reason fate={fate} names={names} />
      <div class="acts">
        {line.user !== '' && (['mute-1', 'mute-10'] as const).map((act) => <ActButton act={act} onAct={onAct} />)}
        {line.user !== '' && <ActButton act="ban" onAct={onAct} tone="bad" />}
        {canRecall && <ActButton act="recall" onAct={onAct} tone="bad" />}
        {acts.map((act) => (
          <ActButton act={act} onAct={onAct} tone={act === 'reject' ? 'bad' : 'good'} />
        ))}
        <ActButton act="why" onAct={onAct} />
      </div>
      <Explained key={line.id} line={line} room={desk.room} asks={asks} />
    </section>
  );
}

function ActButton({ act, onAct, tone = 'plain' }: { act: Act; onAct: (act: Act) => void; tone?: 'plain' | 'bad' | 'good' }) {
  return (
    <Button act={act} tone={tone} onClick={() => onAct(act)}>
      {words.value.acts[act]}
    </Button>
  );
}

/** The verdict and its ground, in a sentence. */
export function Reason({ fate, names }: { fate: Fate; names: Names }) {
  const w = words.value;
  const page = usePage();
  return (
    <p class="reason">
      <i class={`tag is-${fate.verdict}`}>{w.verdicts[fate.verdict] ?? fate.verdict}</i>
      {fate.by !== undefined && <span>{w.river.by(page.who(fate.by))}</span>}
      {fate.verdict === 'passed' && <span>{w.why.passed}</span>}
      {fate.code && <span>{w.codes[fate.code] ?? fate.code}</span>}
      {fate.rule && <Rule id={fate.rule} names={names} />}
      {(fate.version ?? 0) > 0 && <span class="dim">{w.why.version(fate.version ?? 0)}</span>}
      {fate.said !== undefined && (
        <span>
          {w.river.said}: <Said>{fate.said}</Said>
        </span>
      )}
      {fate.shown !== undefined && (
        <span>
          {w.river.shown}: <Said>{fate.shown}</Said>
        </span>
      )}
    </p>
  );
}

/** An entry by what it says, as far as one may read it. */
export function Rule({ id, names }: { id: string; names: Names }) {
  const w = words.value;
  const entry = names.of(id).value;
  if (!entry) return <span class="dim">{w.why.gone(id)}</span>;
  return (
    <span>
      <Said>{w.why.entry(entry.text ?? w.why.hidden, entry.list ?? '')}</Said>
    </span>
  );
}

/** What the judge would say now, once it was asked for. */
function Explained({ line, room, asks }: { line: Line; room: string; asks: number }) {
  const w = words.value;
  const { api } = usePage();
  const [first] = useState(asks);
  const [told, tell] = useState<Tried | string | undefined>(undefined);
  useEffect(() => {
    if (asks === first) return;
    let isShown = true;
    tell(w.load);
    void api.dryRun({ text: line.text, name: line.name, room }).then((answer) => {
      if (isShown) tell(answer.ok ? answer.value.tried[0] : w.refused(answer.refusal));
    });
    return () => void (isShown = false);
  }, [asks]);
  if (told === undefined) return null;
  if (typeof told === 'string') return <p class="dim">{told}</p>;
  return (
    <div class="explained">
      <p class="dim">{w.why.now}</p>
      <Trace tried={told} />
    </div>
  );
}
