// The live screen: river, what is chosen of it, held queue, what the others do; and the keys that act on them.

import { useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import type { Hold } from '../api/shapes';
import type { Act } from '../frame/keys';
import { type Open, usePage } from '../frame/page';
import { Segments } from '../frame/parts';
import { words } from '../frame/words';
import { AllowDialog } from './allow';
import { Deeds } from './deeds';
import { Held } from './held';
import { Inspector } from './inspector';
import { ModePanel } from './mode-panel';
import type { Line } from './river';
import { RiverView } from './river-view';
import type { Chosen } from './view';

/** On a phone one of them is seen at a time. */
const PANES = ['river', 'held', 'deeds', 'mode'] as const;
type Pane = (typeof PANES)[number];

export function Live({ open, isNarrow }: { open: Open; isNarrow: boolean }) {
  const { room, view, names } = open;
  const { desk } = room;
  const page = usePage();
  const w = words.value;
  const pane = useSignal<Pane>('river');
  const side = useSignal<'deeds' | 'mode'>('deeds');
  const asks = useSignal(0);
  const allowing = useSignal<Line | undefined>(undefined);
  const editing = useSignal<string | undefined>(undefined);
  const does = new Does(open, { ask: () => (asks.value += 1), allow: (line) => (allowing.value = line), edit: (id) => (editing.value = id), say: (text) => page.notes.say(text) });

  useLayoutEffect(() => {
    page.onAct = (act) => does.act(act);
    return () => (page.onAct = undefined);
  });

  const chosen = view.chosen.value;
  const line = chosen ? desk.river.find(chosen.id) : undefined;
  const paneNames = { river: w.river.name, held: `${w.held.name} ${desk.waiting.value.length}`, deeds: w.deeds.name, mode: w.mode.name };
  const edited = (hold: Hold, text: string) => {
    editing.value = undefined;
    void room.decide(hold, open.acts.approve(hold, text));
  };
  return (
    <div class={`live is-${pane.value}`}>
      {isNarrow && <Segments label={w.screens.live ?? ''} options={PANES} names={paneNames} value={pane.value} onChange={(to) => (pane.value = to)} />}
      <div class="live-river">
        <RiverView desk={desk} view={view} isNarrow={isNarrow} />
        {line && chosen?.kind === 'line' && <Inspector line={line} desk={desk} names={names} asks={asks.value} onAct={(act) => does.act(act)} />}
      </div>
      <div class="live-side">
        <Held desk={desk} view={view} names={names} editing={editing.value} onAct={(act, hold) => does.onHold(act, hold)} onEdited={edited} />
        {!isNarrow && <Segments label={w.more} options={['deeds', 'mode']} names={paneNames} value={side.value} onChange={(to) => (side.value = to)} />}
        {(isNarrow ? pane.value === 'deeds' : side.value === 'deeds') && <Deeds desk={desk} />}
        {(isNarrow ? pane.value === 'mode' : side.value === 'mode') && <ModePanel open={open} />}
      </div>
      {allowing.value && <AllowDialog line={allowing.value} open={open} onClose={() => (allowing.value = undefined)} />}
    </div>
  );
}

interface Asks {
  ask: () => void;
  allow: (line: Line) => void;
  edit: (id: string | undefined) => void;
  say: (text: string) => void;
}

/** What the keys and buttons of this screen do. */
class Does {
  constructor(
    private readonly open: Open,
    private readonly asks: Asks,
  ) {}

  act(act: Act): void {
    const { room } = this.open;
    const chosen = this.chosen();
    const hold = this.hold();
    const isForHeld = act === 'approve' || act === 'reject' || act === 'edit';
    if (hold && isForHeld) return this.onHold(act, hold);
    // One has only just come up: better nothing than the wrong one.
    if (isForHeld && room.desk.queue.waiting.length > 0) this.asks.say(words.peek().held.tooSoon);
    const line = chosen && room.desk.river.find(chosen.id);
    if (line) this.onLine(act, line);
    this.walk(act);
  }

  onHold(act: Act, hold: Hold): void {
    const { acts, view, room } = this.open;
    if (act === 'leave') return this.asks.edit(undefined);
    if (act === 'edit') {
      view.choose({ kind: 'held', id: hold.id }, room.desk.river);
      return this.asks.edit(hold.id);
    }
    if (act === 'approve') void room.decide(hold, acts.approve(hold));
    if (act === 'reject') void room.decide(hold, acts.reject(hold));
    if (view.chosen.peek()?.id === hold.id) view.choose(undefined, room.desk.river);
  }

  private onLine(act: Act, line: Line): void {
    const { acts } = this.open;
    if (act === 'why') this.asks.ask();
    if (act === 'allow') this.asks.allow(line);
    if (act === 'recall') void acts.recall(line);
    if (line.user === '') return;
    if (act === 'mute-1') void acts.mute(line, 60);
    if (act === 'mute-10') void acts.mute(line, 600);
    if (act === 'ban') void acts.ban(line);
    if (act === 'recall-all') void acts.recallAll(line);
  }

  private walk(act: Act): void {
    const { view, room } = this.open;
    const { desk } = room;
    if (act === 'now' || act === 'leave') view.now();
    if (act === 'shield') void this.open.acts.shield();
    if (act === 'to-held' && desk.queue.waiting[0]) view.choose({ kind: 'held', id: desk.queue.waiting[0].id }, desk.river);
    if (act === 'to-river') this.choose(view.step(1, view.lines(desk.river)));
    if (act !== 'down' && act !== 'up') return;
    const by = act === 'down' ? 1 : -1;
    if (this.chosen()?.kind === 'held') return this.stepHeld(by);
    this.choose(view.step(by, view.lines(desk.river)));
  }

  private choose(line: Line | undefined): void {
    if (line) this.open.view.choose({ kind: 'line', id: line.id }, this.open.room.desk.river);
  }

  private stepHeld(by: 1 | -1): void {
    const { view, room } = this.open;
    const waiting = room.desk.queue.waiting;
    const at = waiting.findIndex(({ id }) => id === view.chosen.peek()?.id);
    const hold = waiting[Math.max(0, Math.min(waiting.length - 1, at + by))];
    if (hold) view.choose({ kind: 'held', id: hold.id }, room.desk.river);
  }

  /** What is chosen; a held message only as long as it waits. */
  private chosen(): Chosen | undefined {
    const { view, room } = this.open;
    const chosen = view.chosen.peek();
    const isGone = chosen?.kind === 'held' && !room.desk.queue.waiting.some(({ id }) => id === chosen.id);
    return isGone ? undefined : chosen;
  }

  /** The held message a key means: the chosen one, else the most pressing once it was there to be read. */
  private hold(): Hold | undefined {
    const { room } = this.open;
    const { queue } = room.desk;
    const chosen = this.chosen();
    if (chosen) return queue.waiting.find(({ id }) => id === chosen.id);
    return queue.next(room.desk.now());
  }
}
