// What moderators and viewers' reports did in this room, as it happens: so two who moderate see each other.

import { usePage } from '../frame/page';
import { Said } from '../frame/parts';
import { clock } from '../frame/time';
import { type Words, words } from '../frame/words';
import { type Deed, type Desk, ranOut } from './desk';
import { modeWords } from './mode-words';

export function Deeds({ desk }: { desk: Desk }) {
  const w = words.value;
  const page = usePage();
  const deeds = desk.deeds.value;
  return (
    <section class="deeds" aria-label={w.deeds.name}>
      <header>
        <h2>{w.deeds.name}</h2>
      </header>
      {deeds.length === 0 && <p class="hint">{w.deeds.empty}</p>}
      <ol>
        {deeds.map((deed) => (
          <li key={deed.number} class={`deed is-${deed.kind}`}>
            <time>{clock(deed.heard, desk.now(), w.lang)}</time>
            <DeedWords deed={deed} who={(id) => page.who(id)} w={w} now={desk.now()} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function DeedWords({ deed, who, w, now }: { deed: Deed; who: (id: string) => string; w: Words; now: number }) {
  const about = deed.about === undefined ? null : <Said class="about">{deed.about}</Said>;
  switch (deed.kind) {
    case 'decided':
      if (ranOut(deed)) return <p class="dim">{w.deeds.ranOut(deed.outcome, deed.times ?? 1)} <Said>{deed.about ?? ''}</Said></p>;
      return <p>{w.deeds.decided(who(deed.by), deed.outcome)} {about}</p>;
    case 'recall':
      return <p>{deed.user === undefined ? w.deeds.recall(who(deed.by), deed.count) : w.deeds.recallUser(who(deed.by))} {about ?? <Said>{deed.user ?? ''}</Said>}</p>;
    case 'mode':
      return <p>{w.deeds.mode(who(deed.by))}: {modeWords(deed.mode, w)}</p>;
    case 'reported':
      return <p>{w.deeds.reported(deed.reports)} <Said class="about">{deed.text ?? deed.id}</Said></p>;
    case 'broadcast':
      return <p>{w.deeds.broadcast(deed.state)}</p>;
    case 'sanction': {
      const until = deed.until_ms > 0 ? w.deeds.until(clock(deed.until_ms, now, w.lang)) : w.deeds.forGood;
      const isImposed = deed.act === 'mute' || deed.act === 'ban';
      return (
        <p>
          {who(deed.by)} {w.deeds.acts[deed.act] ?? deed.act} {about ?? <Said class="about">{deed.subjects.join(', ')}</Said>} {isImposed && until}
        </p>
      );
    }
  }
}
