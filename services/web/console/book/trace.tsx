// How the judge reads a text: each character and its folding, what is found and what nearly is, and what comes of it.

import type { Candidate, Cluster, Tried } from '../api/shapes';
import { Said } from '../frame/parts';
import { words } from '../frame/words';

/** A danmaku has 100 characters; a longer text is shown by its beginning. */
const CLUSTERS_MAX = 120;

export function Trace({ tried }: { tried: Tried }) {
  const w = words.value;
  const { trace } = tried;
  return (
    <div class="trace">
      <p class="reason">
        <i class={`tag is-${tried.action}`}>{w.book.actions[tried.action] ?? tried.action}</i>
        {tried.code && <span>{w.codes[tried.code] ?? tried.code}</span>}
        {tried.shown !== undefined && (
          <span>
            {w.try.shown}: <Said>{tried.shown}</Said>
          </span>
        )}
      </p>
      {trace && <Folding clusters={trace.folding.clusters.slice(0, CLUSTERS_MAX)} candidates={trace.candidates} />}
      {trace && (
        <p class="dim">
          {w.why.compared}: <Said>{trace.folding.compared}</Said>
        </p>
      )}
      {trace && trace.candidates.length === 0 && <p>{w.why.none}</p>}
      <ul class="candidates">
        {trace?.candidates.map((candidate) => (
          <OneCandidate candidate={candidate} list={tried.hits.find(({ entry }) => entry === candidate.entry)?.list} />
        ))}
      </ul>
    </div>
  );
}

function Folding({ clusters, candidates }: { clusters: Cluster[]; candidates: Candidate[] }) {
  const w = words.value;
  const isFound = (at: number) => candidates.some(({ start, end, reading }) => reading && at >= start && at < end);
  return (
    <ol class="folding" aria-label={w.why.steps}>
      {clusters.map(({ text, points, symbols, sign, steps }, at) => {
        const how = [points.join(' '), ...(steps ?? []).map(({ what, became }) => `${what} → ${became}`), sign].filter(Boolean);
        const isPlain = symbols === text;
        return (
          <li key={at} class={isFound(at) ? 'is-found' : sign ? 'is-sign' : ''} title={how.join('\n')}>
            <Said>{text.trim() === '' ? '␣' : text}</Said>
            <small>{isPlain ? '' : symbols || sign || w.why.unseen}</small>
          </li>
        );
      })}
    </ol>
  );
}

function OneCandidate({ candidate, list }: { candidate: Candidate; list: string | undefined }) {
  const w = words.value;
  const { word, covered, reading, rejected, outcome } = candidate;
  return (
    <li class={reading ? 'is-found' : 'is-near'}>
      <Said>{word ?? w.why.hidden}</Said>
      <span class="dim">
        ← <Said>{covered}</Said>
      </span>
      {reading && <i class="tag">{w.why.read[reading] ?? reading}</i>}
      {list && <span class="dim">{list}</span>}
      <span>{outcome ?? rejected}</span>
    </li>
  );
}
