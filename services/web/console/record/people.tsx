// Who may not speak, in this room and everywhere, until when and why; lifting it, and imposing it by hand.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Impose } from '../api/api';
import type { Sanction } from '../api/shapes';
import { type Open, usePage } from '../frame/page';
import { Button, Check, Field, Said, Segments, Select } from '../frame/parts';
import { clock, span } from '../frame/time';
import { words } from '../frame/words';

/** In seconds; 0 is for good, -1 as long as this broadcast. */
const LASTS = ['60', '600', '3600', '86400', '604800', '-1', '0'] as const;
type Kind = 'mute' | 'ban';

export function People({ open }: { open: Open }) {
  const w = words.value;
  const { api, notes } = usePage();
  const mutes = useSignal<Sanction[] | undefined>(undefined);
  const bans = useSignal<Sanction[] | string | undefined>(undefined);
  const load = async () => {
    const [muted, banned] = await Promise.all([api.mutes(open.room.name), api.bans()]);
    if (muted.ok) mutes.value = muted.value.sanctions;
    else notes.say(w.refused(muted.refusal), 'no');
    bans.value = banned.ok ? banned.value.sanctions : w.refused(banned.refusal);
  };
  // What another moderator does is seen here too.
  const sanctions = open.room.desk.deeds.value.find(({ kind }) => kind === 'sanction')?.number;
  useEffect(() => void load(), [open, sanctions]);
  const lift = async (kind: Kind, { of }: Sanction) => {
    await (kind === 'mute' ? open.acts.unmute(of) : open.acts.unban(of));
    await load();
  };
  return (
    <div class="people">
      <Imposing open={open} onDone={() => void load()} />
      <Table head={w.people.mutes} sanctions={mutes.value} onLift={(sanction) => void lift('mute', sanction)} />
      {typeof bans.value === 'string' ? <p class="dim">{bans.value}</p> : <Table head={w.people.bans} sanctions={bans.value} onLift={(sanction) => void lift('ban', sanction)} />}
    </div>
  );
}

function Table({ head, sanctions, onLift }: { head: string; sanctions: Sanction[] | undefined; onLift: (sanction: Sanction) => void }) {
  const w = words.value;
  const page = usePage();
  return (
    <section>
      <h2>
        {head} {sanctions && <b class="count">{w.number(sanctions.length)}</b>}
      </h2>
      {sanctions?.length === 0 && <p class="hint">{w.people.none}</p>}
      {sanctions && sanctions.length > 0 && (
        <div class="table-box" tabIndex={0} role="region" aria-label={head}>
          <table class="table">
            <thead>
              <tr>
                {[w.people.subject, w.people.until, w.people.by, w.people.reason, ''].map((name, at) => (at < 4 ? <th scope="col">{name}</th> : <td />))}
              </tr>
            </thead>
            <tbody>
              {sanctions.map((sanction) => (
                <tr key={sanction.subject}>
                  <td>
                    <Said>{sanction.subject}</Said> {sanction.of !== sanction.subject && <Said class="dim">{w.people.with(sanction.of)}</Said>}
                  </td>
                  <td>{sanction.broadcast ? w.people.broadcast : sanction.until_ms === undefined ? w.people.forGood : clock(sanction.until_ms, Date.now(), w.lang)}</td>
                  <td>
                    <Said>{page.who(sanction.by)}</Said> <span class="dim">{clock(sanction.at_ms, Date.now(), w.lang)}</span>
                  </td>
                  <td>
                    <Said>{sanction.reason}</Said>
                  </td>
                  <td>
                    <Button onClick={() => onLift(sanction)} label={`${w.people.lift} ${sanction.subject}`}>
                      {w.people.lift}
                    </Button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function Imposing({ open, onDone }: { open: Open; onDone: () => void }) {
  const w = words.value;
  const kind = useSignal<Kind>('mute');
  const subject = useSignal('');
  const lasts = useSignal<(typeof LASTS)[number]>('600');
  const also = useSignal<readonly ('device' | 'address')[]>([]);
  const reason = useSignal('');
  const names = Object.fromEntries(LASTS.map((s) => [s, s === '0' ? w.people.forGood : s === '-1' ? w.people.broadcast : span(Number(s) * 1000, w.lang)]));
  const go = async (event: Event) => {
    event.preventDefault();
    const impose: Impose = { subject: subject.value.trim(), reason: reason.value.trim(), also: [...also.value] };
    if (kind.value === 'ban') impose.room = open.room.name;
    if (lasts.value === '0') impose.permanent = true;
    else if (lasts.value === '-1') impose.broadcast = true;
    else impose.seconds = Number(lasts.value);
    if (!(await open.acts.impose(kind.value, impose))) return;
    subject.value = '';
    onDone();
  };
  const flip = (what: 'device' | 'address', is: boolean) => (also.value = is ? [...also.value, what] : also.value.filter((one) => one !== what));
  return (
    <form class="form imposing" onSubmit={(event) => void go(event)}>
      <h2>{w.people.impose}</h2>
      <Segments label={w.people.impose} options={['mute', 'ban']} names={{ mute: w.people.mute, ban: w.people.ban }} value={kind.value} onChange={(to) => (kind.value = to)} />
      <Field label={`${w.people.subject} (${w.people.subjectHint})`} wide>
        <input id="search" type="text" placeholder="user/" value={subject.value} spellcheck={false} onInput={(event) => (subject.value = event.currentTarget.value)} />
      </Field>
      <Select label={w.people.lasts} options={kind.value === 'ban' ? LASTS.filter((s) => s !== '-1') : LASTS} names={names} value={lasts.value} onChange={(to) => (lasts.value = to)} />
      <Field label={w.people.reason}>
        <input type="text" maxLength={160} value={reason.value} onInput={(event) => (reason.value = event.currentTarget.value)} />
      </Field>
      <Check label={`${w.people.also} ${w.people.device}`} checked={also.value.includes('device')} onChange={(is) => flip('device', is)} />
      <Check label={`${w.people.also} ${w.people.address}`} checked={also.value.includes('address')} onChange={(is) => flip('address', is)} />
      <button type="submit" class="button is-bad" disabled={subject.value.trim() === ''}>
        {w.people.go}
      </button>
    </form>
  );
}
