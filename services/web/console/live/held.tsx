// The held queue: what waits, how long it may, and what a key or a click decides.

import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Hold } from '../api/shapes';
import type { Act } from '../frame/keys';
import { Button, Said } from '../frame/parts';
import { words } from '../frame/words';
import type { Desk } from './desk';
import { Rule } from './inspector';
import type { Names } from './names';
import { left } from './queue';
import { parts } from './text';
import type { View } from './view';

/** More than fits any screen; those behind come up as these go. */
const SHOWN_MAX = 20;

interface Queue {
  desk: Desk;
  view: View;
  names: Names;
  /** The one whose text is being edited. */
  editing: string | undefined;
  onAct: (act: Act, hold: Hold) => void;
  onEdited: (hold: Hold, text: string) => void;
}

export function Held({ desk, view, names, editing, onAct, onEdited }: Queue) {
  const w = words.value;
  const waiting = desk.waiting.value;
  const chosen = view.chosen.value?.kind === 'held' ? view.chosen.value.id : undefined;
  const next = chosen ?? waiting[0]?.id;
  return (
    <section class="held" aria-label={w.held.name}>
      <header>
        <h2>{w.held.name}</h2>
        <b class={waiting.length > 0 ? 'count is-some' : 'count'} role="status" aria-label={`${w.held.name}: ${w.number(waiting.length)}`}>
          {w.number(waiting.length)}
        </b>
      </header>
      {waiting.length === 0 && <p class="hint">{w.held.empty}</p>}
      <ol>
        {waiting.slice(0, SHOWN_MAX).map((hold) => (
          <Card
            key={hold.id}
            hold={hold}
            desk={desk}
            names={names}
            isNext={hold.id === next}
            isChosen={hold.id === chosen}
            isEditing={hold.id === editing}
            onChoose={() => view.choose({ kind: 'held', id: hold.id }, desk.river)}
            onAct={(act) => onAct(act, hold)}
            onEdited={(text) => onEdited(hold, text)}
          />
        ))}
      </ol>
    </section>
  );
}

interface OneCard {
  hold: Hold;
  desk: Desk;
  names: Names;
  isNext: boolean;
  isChosen: boolean;
  isEditing: boolean;
  onChoose: () => void;
  onAct: (act: Act) => void;
  onEdited: (text: string) => void;
}

function Card({ hold, desk, names, isNext, isChosen, isEditing, onChoose, onAct, onEdited }: OneCard) {
  const w = words.value;
  // A button decides; anywhere else the card is chosen.
  const choose = (event: Event) => {
    if (event.target instanceof Element && !event.target.closest('button, input')) onChoose();
  };
  const classes = ['card', isNext && 'is-next', isChosen && 'is-chosen'].filter(Boolean).join(' ');
  return (
    <li class={classes} onClick={choose} aria-current={isChosen ? 'true' : undefined}>
      <Countdown hold={hold} now={desk.now} />
      <p class="card-who">
        <Said>{hold.name || hold.user}</Said>
        {isNext && !isChosen && <i class="tag">{w.held.next}</i>}
      </p>
      <p class="card-text">
        <bdi class="said" dir="auto">
          {parts(hold.text, hold.hits).map((part) => (part.isFound ? <mark>{part.text}</mark> : part.text))}
        </bdi>
      </p>
      <p class="dim">{hold.rule && <Rule id={hold.rule} names={names} />}</p>
      {isEditing ? <Edit text={hold.text} onEdited={onEdited} onLeave={() => onAct('leave')} /> : <Decide isNext={isNext} onAct={onAct} />}
    </li>
  );
}

function Decide({ isNext, onAct }: { isNext: boolean; onAct: (act: Act) => void }) {
  const w = words.value;
  const acts = [['approve', 'good'], ['reject', 'bad'], ['edit', 'plain']] as const;
  return (
    <div class="acts">
      {acts.map(([act, tone]) => (
        <Button key={act} tone={tone} {...(isNext ? { act } : {})} onClick={() => onAct(act)}>
          {w.acts[act]}
        </Button>
      ))}
    </div>
  );
}

function Countdown({ hold, now }: { hold: Hold; now: () => number }) {
  const w = words.value;
  const at = useSignal(now());
  useEffect(() => {
    const timer = setInterval(() => (at.value = now()), 500);
    return () => clearInterval(timer);
  }, []);
  const { seconds, share } = left(hold, at.value);
  const text = seconds > 0 ? w.held.seconds(seconds) : w.held.over;
  return (
    <div class={seconds <= 10 ? 'countdown is-late' : 'countdown'} role="timer" aria-label={text}>
      <i style={{ transform: `scaleX(${share})` }} />
      <span>{text}</span>
    </div>
  );
}

function Edit({ text, onEdited, onLeave }: { text: string; onEdited: (text: string) => void; onLeave: () => void }) {
  const w = words.value;
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => box.current?.select(), []);
  const send = () => box.current && onEdited(box.current.value);
  const keys = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.isComposing) send();
    if (event.key === 'Escape') onLeave();
    event.stopPropagation();
  };
  return (
    <div class="card-edit">
      <input ref={box} type="text" defaultValue={text} maxLength={400} aria-label={w.held.edit} dir="auto" onKeyDown={keys} />
      <Button tone="good" onClick={send}>
        {w.held.send}
      </Button>
    </div>
  );
}
