// How the room may be spoken in: what holds, who set it when, and setting it; how long held messages wait; the broadcast.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Answer } from '../api/client';
import type { HoldRule, InForce, Mode } from '../api/shapes';
import { type Open, usePage } from '../frame/page';
import { Button, Check, Field, Select } from '../frame/parts';
import { clock, countdown } from '../frame/time';
import { words } from '../frame/words';
import { FREE, modeParts } from './mode-words';

/** How long a passing mode lasts, in minutes; 0 is for good. */
const LASTS = ['0', '5', '10', '20', '60'] as const;

export function ModePanel({ open }: { open: Open }) {
  const { room } = open;
  const { desk, name } = room;
  const { api, notes } = usePage();
  const w = words.value;
  const wish = useSignal<Mode>(desk.mode.peek()?.mode ?? FREE);
  const lasts = useSignal<(typeof LASTS)[number]>('0');
  const inForce = desk.mode.value;
  useEffect(() => {
    if (inForce) wish.value = inForce.mode;
  }, [inForce]);
  const told = (answer: Answer<InForce>) => {
    if (answer.ok) desk.mode.value = answer.value;
    notes.say(answer.ok ? w.done.mode : w.refused(answer.refusal), answer.ok ? 'done' : 'no');
  };
  const set = async () => told(await api.setMode(name, wish.value, lasts.value === '0' ? undefined : Number(lasts.value) * 60));
  const change = (part: Partial<Mode>) => (wish.value = { ...wish.value, ...part });
  const lastsNames = Object.fromEntries(LASTS.map((n) => [n, n === '0' ? w.mode.forGood : w.mode.minutes(Number(n))]));
  return (
    <section class="mode" aria-label={w.mode.name}>
      <ModeNow inForce={inForce} now={desk.now} />
      <div class="acts">
        <Button act="shield" onClick={() => void open.acts.shield()}>
          {w.mode.shield}
        </Button>
        {inForce?.ends_ms !== undefined && <Button onClick={() => void api.lower(name).then(told)}>{w.mode.lower}</Button>}
      </div>
      <div class="form">
        <Amount label={w.mode.slowMs} value={wish.value.slow_ms / 1000} most={600} onChange={(n) => change({ slow_ms: n * 1000 })} />
        <Amount label={w.mode.levelMin} value={wish.value.level_min} most={10_000} onChange={(n) => change({ level_min: n })} />
        <Amount label={w.mode.followersMin} value={wish.value.followers_min_s / 60} most={5_000_000} onChange={(n) => change({ followers_min_s: n * 60 })} />
        <Amount label={w.mode.delayMs} value={wish.value.delay_ms / 1000} most={6} onChange={(n) => change({ delay_ms: n * 1000 })} />
        <Check label={w.mode.emoteOnly} checked={wish.value.emote_only} onChange={(emote_only) => change({ emote_only })} />
        <Check label={w.mode.emergencyOnly} checked={wish.value.emergency} onChange={(emergency) => change({ emergency })} />
        <Select label={w.mode.lasts} options={LASTS} names={lastsNames} value={lasts.value} onChange={(n) => (lasts.value = n)} />
        <Button tone="main" onClick={() => void set()}>
          {w.mode.set}
        </Button>
      </div>
      <Holding name={name} />
      <Broadcast name={name} />
    </section>
  );
}

function ModeNow({ inForce, now }: { inForce: InForce | undefined; now: () => number }) {
  const w = words.value;
  const page = usePage();
  if (!inForce) return <p class="hint">{w.load}</p>;
  const parts = modeParts(inForce.mode, w);
  return (
    <div class="mode-now">
      <p class="chips">{(parts.length > 0 ? parts : [w.mode.free]).map((part) => <i class="tag">{part}</i>)}</p>
      <p class="dim">
        {inForce.at_ms > 0 ? w.mode.by(page.who(inForce.by), clock(inForce.at_ms, now(), w.lang)) : w.mode.never}
        {inForce.ends_ms !== undefined && <Ends at={inForce.ends_ms} now={now} />}
      </p>
    </div>
  );
}

/** When a passing mode ends, second by second. */
export function Ends({ at, now }: { at: number; now: () => number }) {
  const left = useSignal(at - now());
  useEffect(() => {
    const timer = setInterval(() => (left.value = at - now()), 500);
    return () => clearInterval(timer);
  }, [at]);
  return <span> · {words.value.mode.ends(countdown(left.value))}</span>;
}

function Amount({ label, value, most, onChange }: { label: string; value: number; most: number; onChange: (n: number) => void }) {
  const set = (text: string) => onChange(Math.max(0, Math.min(most, Math.round(Number(text) || 0))));
  return (
    <Field label={label}>
      <input type="number" min={0} max={most} value={value} onChange={(event) => set(event.currentTarget.value)} />
    </Field>
  );
}

function Holding({ name }: { name: string }) {
  const { api, notes } = usePage();
  const w = words.value;
  const rule = useSignal<HoldRule | undefined>(undefined);
  useEffect(() => {
    void api.holding(name).then((answer) => answer.ok && (rule.value = answer.value));
  }, [name]);
  const known = rule.value;
  if (!known) return null;
  const save = async () => {
    const answer = await api.setHolding(name, known);
    notes.say(answer.ok ? w.done.mode : w.refused(answer.refusal), answer.ok ? 'done' : 'no');
  };
  return (
    <div class="form">
      <h3>{w.mode.holding}</h3>
      <Amount label={w.mode.holdS} value={known.hold_ms / 1000} most={600} onChange={(n) => (rule.value = { ...known, hold_ms: n * 1000 })} />
      <Select label={w.mode.onTimeout} options={['deny', 'allow']} names={w.mode.timeouts} value={known.on_timeout} onChange={(on_timeout) => (rule.value = { ...known, on_timeout })} />
      <Button onClick={() => void save()}>{w.mode.setHolding}</Button>
    </div>
  );
}

function Broadcast({ name }: { name: string }) {
  const { api, notes } = usePage();
  const w = words.value;
  const say = async (state: 'started' | 'ended') => {
    const answer = await api.broadcast(name, state);
    notes.say(answer.ok ? w.mode.ended_(answer.value.mutes, answer.value.entries) : w.refused(answer.refusal), answer.ok ? 'done' : 'no');
  };
  return (
    <div class="form">
      <h3>{w.mode.broadcast}</h3>
      <p class="dim is-wide">{w.mode.broadcastNote}</p>
      <Button onClick={() => void say('started')}>{w.mode.started}</Button>
      <Button onClick={() => void say('ended')}>{w.mode.ended}</Button>
    </div>
  );
}
