// Which version is in force where, as far as the services tell it, and plainly what they do not.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Hold, Versions } from '../api/shapes';
import { type Open, usePage } from '../frame/page';
import { Said } from '../frame/parts';
import { clock } from '../frame/time';
import { words } from '../frame/words';
import { evidence, type Place, places } from './places';

const EVERY_MS = 5_000;
/** What each filter says of itself, on its admin port. */
const METRICS = ['danmaku_filter_rules_version', 'danmaku_filter_rules_age_seconds', 'danmaku_filter_rules_in_force_seconds'];

interface Known {
  everywhere?: Versions;
  here?: Versions;
  places: Place[];
  partition?: number;
  holds: Hold[];
}

export function Nodes({ open }: { open: Open }) {
  const w = words.value;
  const { name } = open.room;
  const known = useKnown(name);
  return (
    <div class="nodes">
      <section class="tile">
        <h2>{w.nodes.book}</h2>
        <Newest head={w.book.everywhere} versions={known.everywhere} />
        <Newest head={name} versions={known.here} />
      </section>
      <Filters holds={known.holds} />
      <Hall known={known} open={open} />
    </div>
  );
}

function useKnown(name: string): Known {
  const { api } = usePage();
  const known = useSignal<Known>({ places: [], holds: [] });
  useEffect(() => {
    const load = async () => {
      const [everywhere, here, where, waiting, decided] = await Promise.all([api.versions(undefined, 1), api.versions(name, 1), api.where(name), api.holds(name), api.holds(name, true)]);
      known.value = {
        ...(everywhere.ok ? { everywhere: everywhere.value } : {}),
        ...(here.ok ? { here: here.value } : {}),
        ...(where.ok ? places(where.value) : { places: [] }),
        holds: [...(waiting.ok ? waiting.value.holds : []), ...(decided.ok ? decided.value.holds : [])],
      };
    };
    void load();
    const timer = setInterval(() => void load(), EVERY_MS);
    return () => clearInterval(timer);
  }, [name]);
  return known.value;
}

/** What the service does not tell, where it is told, and what can be seen all the same. */
function Filters({ holds }: { holds: Hold[] }) {
  const w = words.value;
  const judged = evidence(holds);
  return (
    <section class="tile">
      <h2>{w.nodes.filter}</h2>
      <p>{w.nodes.noApi}</p>
      <ul class="metrics">
        {METRICS.map((metric) => (
          <li key={metric}>
            <code>{metric}</code>
          </li>
        ))}
      </ul>
      <h3>{w.nodes.seen}</h3>
      <p>{judged ? w.nodes.judged(judged.version, clock(judged.at, Date.now(), w.lang)) : w.nodes.unseen}</p>
    </section>
  );
}

function Hall({ known, open }: { known: Known; open: Open }) {
  const w = words.value;
  const hello = open.room.desk.hello.value;
  return (
    <section class="tile">
      <h2>{w.nodes.hall}</h2>
      <ul>
        {known.places.map(({ node, address }) => (
          <li key={node}>
            <b>
              <Said>{node}</Said>
            </b>{' '}
            <Said class="dim">{address}</Said> {hello?.node === node && <i class="tag is-approved">{w.nodes.connected}</i>}
          </li>
        ))}
      </ul>
      <dl class="facts">
        <dt>{w.nodes.release}</dt>
        <dd>{hello?.version ?? '–'}</dd>
        <dt>{w.nodes.partition}</dt>
        <dd>{known.partition ?? '–'}</dd>
      </dl>
    </section>
  );
}

function Newest({ head, versions }: { head: string; versions: Versions | undefined }) {
  const w = words.value;
  const page = usePage();
  const newest = versions?.versions[0];
  return (
    <div class="newest">
      <h3>
        <Said>{head}</Said>
      </h3>
      {!newest && <p class="dim">{versions ? w.book.noVersion : w.load}</p>}
      {newest && versions && (
        <>
          <p>
            <b>{w.book.version(newest.number)}</b> · {w.book.entries(newest.published)}
          </p>
          <p class="dim">
            <Said>{page.who(newest.author)}</Said> · {clock(newest.at_ms, Date.now(), w.lang)}
          </p>
          <p class={newest.number <= versions.published ? 'verdict is-clean' : 'verdict is-doubtful'}>{newest.number <= versions.published ? w.nodes.published : w.nodes.behind(versions.published)}</p>
        </>
      )}
    </div>
  );
}
