// The river on the screen: it flows, stands still under a pointer or a choice, and jumps back to now.

import type { Desk } from './desk';
import { Button, Glyph, Segments } from '../frame/parts';
import { Rows } from '../frame/rows';
import { words } from '../frame/words';
import { lineId, LineRow } from './line';
import type { Show, View, Why } from './view';

/** One line of text; on a phone two. */
const ROW = 30;
const ROW_NARROW = 50;

interface River {
  desk: Desk;
  view: View;
  isNarrow: boolean;
}

export function RiverView({ desk, view, isNarrow }: River) {
  const w = words.value;
  void desk.flow.value;
  const why = view.why.value;
  const lines = view.lines(desk.river);
  const chosen = view.chosen.value?.kind === 'line' ? view.chosen.value.id : undefined;
  const at = chosen === undefined ? -1 : lines.findIndex(({ id }) => id === chosen);
  const hover = (event: PointerEvent) => event.pointerType === 'mouse' && view.pause('hover', desk.river);
  const seen = (_: number, last: number) => last >= lines.length - 1 && view.resume('scrolled');
  return (
    <section class="river" aria-label={w.river.name}>
      <RiverBar desk={desk} view={view} />
      <div class="river-box" onPointerEnter={hover} onPointerLeave={() => view.resume('hover')}>
        {lines.length === 0 && <p class="hint">{desk.river.total === 0 ? w.river.empty : w.river.noMatch}</p>}
        {lines.length > 0 && (
          <Rows
            count={lines.length}
            height={isNarrow ? ROW_NARROW : ROW}
            keyOf={(index) => lines[index]?.id ?? String(index)}
            label={w.river.name}
            follows={why === undefined}
            chosen={at}
            activeId={chosen && lineId(chosen)}
            onSeen={seen}
            onScrolledUp={() => view.pause('scrolled', desk.river)}
            row={(index) => {
              const line = lines[index];
              return line && <LineRow line={line} desk={desk} view={view} isChosen={line.id === chosen} />;
            }}
          />
        )}
      </div>
    </section>
  );
}

function RiverBar({ desk, view }: { desk: Desk; view: View }) {
  const w = words.value;
  const names: Record<Show, string> = { all: w.river.all, judged: w.river.judged, reported: w.river.reported };
  return (
    <header class="river-bar">
      <Segments label={w.river.name} options={['all', 'judged', 'reported']} names={names} value={view.show.value} onChange={(show) => (view.show.value = show)} />
      <input
        id="search"
        type="search"
        placeholder={w.river.find}
        aria-label={w.river.find}
        value={view.find.value}
        onInput={(event) => (view.find.value = event.currentTarget.value)}
      />
      {desk.missed.value > 0 && <span class="missed">{w.river.missed(desk.missed.value)}</span>}
      {view.why.value !== undefined && <Standing desk={desk} view={view} why={view.why.value} />}
    </header>
  );
}

/** Why it stands still, how much came meanwhile, and the way to now. */
function Standing({ desk, view, why }: { desk: Desk; view: View; why: Why }) {
  const w = words.value;
  void desk.flow.value;
  return (
    <div class="river-now">
      <span>
        {w.river.paused} · {w.river.why[why]}
      </span>
      <Button tone="main" act="now" onClick={() => view.now()}>
        <Glyph name="down" />
        {w.river.fresh(view.fresh(desk.river))}
      </Button>
    </div>
  );
}
