// One message of the river as a row. What it is given stays the same while it flows, so it draws itself anew only when its own fate
// changes (signals compare what a component is given).

import { Said } from '../frame/parts';
import { clock } from '../frame/time';
import { words } from '../frame/words';
import type { Desk } from './desk';
import type { Fate, Line } from './river';
import { parts } from './text';
import type { View } from './view';

export const lineId = (id: string) => `line-${id}`;

interface Row {
  line: Line;
  desk: Desk;
  view: View;
  isChosen: boolean;
}

export function LineRow({ line, desk, view, isChosen }: Row) {
  const w = words.value;
  const choose = () => view.choose({ kind: 'line', id: line.id }, desk.river);
  const fate = line.fate.value;
  const isMuted = desk.isMuted(line.user);
  const classes = ['line', `is-${fate.verdict}`, isChosen && 'is-chosen', fate.recalledBy !== undefined && 'is-recalled'];
  return (
    <div id={lineId(line.id)} class={classes.filter(Boolean).join(' ')} role="option" aria-selected={isChosen} onClick={choose}>
      <time>{clock(line.at, desk.now(), w.lang)}</time>
      <span class="who">
        <Said>{line.name || line.user || w.nobody}</Said>
        {isMuted && <i class="tag is-muted">{w.river.muted}</i>}
      </span>
      <Text line={line} fate={fate} />
      <Marks line={line} fate={fate} />
    </div>
  );
}

function Text({ line, fate }: { line: Line; fate: Fate }) {
  if (line.kind !== 'chat') return <Said class={`text is-${line.kind}`}>{line.text || line.kind}</Said>;
  return (
    <bdi class="said text" dir="auto">
      {parts(line.text, fate.hits ?? []).map((part) => (part.isFound ? <mark>{part.text}</mark> : part.text))}
    </bdi>
  );
}

function Marks({ line, fate }: { line: Line; fate: Fate }) {
  const w = words.value;
  return (
    <span class="marks">
      {(fate.reports ?? 0) > 0 && <i class="tag is-reported">{w.river.reports(fate.reports ?? 0)}</i>}
      {line.edited && <i class="tag">{w.river.edited}</i>}
      {fate.recalledBy !== undefined && <i class="tag is-recall">{w.river.recalledBy(fate.recalledBy)}</i>}
      {fate.verdict !== 'passed' && <i class={`tag is-${fate.verdict}`}>{w.verdicts[fate.verdict] ?? fate.verdict}</i>}
    </span>
  );
}
