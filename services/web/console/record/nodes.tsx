// Which version is in force where: the newest of each book, by which each partition was judged last, and the nodes of the hall.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Filters, Judged, Versions } from '../api/shapes';
import { type Open, usePage } from '../frame/page';
import { Said } from '../frame/parts';
import { clock } from '../frame/time';
import { words } from '../frame/words';
import { type Place, places } from './places';

const EVERY_MS = 5_000;
interface Known {
  everywhere?: Versions;
  here?: Versions;
  places: Place[];
  partition?: number;
  filters?: Filters;
  /** Why nothing is known of the filters. */
  trouble: string;
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
      <Hall known={known} open={open} />
      <FilterTable filters={known.filters} trouble={known.trouble} partition={known.partition} />
    </div>
  );
}

function useKnown(name: string): Known {
  const { api } = usePage();
  const known = useSignal<Known>({ places: [], trouble: '' });
  useEffect(() => {
    const load = async () => {
      const [everywhere, here, where, filters] = await Promise.all([api.versions(undefined, 1), api.versions(name, 1), api.where(name), api.filters()]);
      known.value = {
        ...(everywhere.ok ? { everywhere: everywhere.value } : {}),
        ...(here.ok ? { here: here.value } : {}),
        ...(where.ok ? places(where.value) : { places: [] }),
        ...(filters.ok ? { filters: filters.value, trouble: '' } : { trouble: words.peek().refused(filters.refusal) }),
      };
    };
    void load();
    const timer = setInterval(() => void load(), EVERY_MS);
    return () => clearInterval(timer);
  }, [name]);
  return known.value;
}

/** Which version judged each partition last. Filters serve nobody: their records speak for them. */
function FilterTable({ filters, trouble, partition }: { filters: Filters | undefined; trouble: string; partition: number | undefined }) {
  const w = words.value;
  return (
    <section class="tile is-wide">
      <h2>{w.nodes.filter}</h2>
      <p class="dim">{w.nodes.filterNote}</p>
      {!filters && <p class={trouble ? 'trouble' : 'dim'}>{trouble || w.load}</p>}
      {filters && (
        <div class="table-box" tabIndex={0} role="region" aria-label={w.nodes.filter}>
          <table class="table">
            <thead>
              <tr>
                {[w.nodes.partition, w.nodes.version, w.nodes.says, w.nodes.judged, w.nodes.owner].map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {filters.partitions.map((judged) => (
                <Partition key={judged.partition} judged={judged} isHere={judged.partition === partition} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

const TONES: Record<string, string> = { current: 'is-approved', behind: 'is-blocked' };

function Partition({ judged, isHere }: { judged: Judged; isHere: boolean }) {
  const w = words.value;
  const { partition, version, says, judged_ms, owner } = judged;
  return (
    <tr>
      <th scope="row">
        {partition} {isHere && <i class="tag is-held">{w.nodes.here}</i>}
      </th>
      <td>{version ?? '–'}</td>
      <td>
        <i class={`tag ${TONES[says] ?? ''}`}>{w.nodes.stands[says] ?? says}</i>
      </td>
      <td>{judged_ms === undefined ? '–' : clock(judged_ms, Date.now(), w.lang)}</td>
      <td class="dim">{owner ?? '–'}</td>
    </tr>
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
