// The river stands still for as long as there is a reason, counts what came, and finds the line a key means.

import { describe, expect, it } from 'vitest';
import { River } from '../live/river';
import { View } from '../live/view';

function flowing() {
  const river = new River(10);
  let at = 0;
  const say = (count: number, verdict = 'blocked') => {
    for (let n = 0; n < count; n += 1) {
      at += 1;
      river.refuse([{ id: String(at), user: at % 2 ? 'ann' : 'bob', at_ms: at, verdict, code: '', rule: '', text: `text ${at}` }]);
    }
  };
  return { river, say, view: new View() };
}
const shown = (view: View, river: River) => view.lines(river).map(({ id }) => id);

describe('the view of a river', () => {
  it('stands still under a pointer and flows on', () => {
    const { river, say, view } = flowing();
    say(3);
    view.pause('hover', river);
    say(2);
    expect([shown(view, river), view.fresh(river), view.why.value]).toEqual([['1', '2', '3'], 2, 'hover']);
    view.resume('hover');
    expect([shown(view, river), view.fresh(river), view.why.value]).toEqual([['1', '2', '3', '4', '5'], 0, undefined]);
  });

  it('stands still while any reason is left, also when the river has forgotten those lines', () => {
    const { river, say, view } = flowing();
    say(3);
    view.pause('hover', river);
    view.choose({ kind: 'line', id: '2' }, river);
    say(20);
    view.resume('hover');
    expect([shown(view, river), view.fresh(river), view.why.value]).toEqual([['1', '2', '3'], 20, 'chosen']);
    view.choose(undefined, river);
    expect([shown(view, river).at(-1), view.why.value]).toEqual(['23', undefined]);
  });

  it('does not stand still before anything was said', () => {
    const { river, say, view } = flowing();
    view.pause('hover', river);
    say(1);
    expect([shown(view, river), view.why.value]).toEqual([['1'], undefined]);
  });

  it('does not stand still for a held message', () => {
    const { river, view } = flowing();
    view.choose({ kind: 'held', id: 'h' }, river);
    expect([view.why.value, view.chosen.value]).toEqual([undefined, { kind: 'held', id: 'h' }]);
  });

  it('jumps to now from wherever it is', () => {
    const { river, say, view } = flowing();
    say(2);
    view.pause('scrolled', river);
    view.choose({ kind: 'line', id: '1' }, river);
    say(1);
    view.now();
    expect([shown(view, river), view.chosen.value, view.why.value]).toEqual([['1', '2', '3'], undefined, undefined]);
  });

  it('steps from line to line and stops at the ends', () => {
    const { river, say, view } = flowing();
    say(3);
    const step = (by: 1 | -1) => {
      const line = view.step(by, view.lines(river));
      view.choose(line && { kind: 'line', id: line.id }, river);
      return line?.id;
    };
    expect([step(-1), step(-1), step(-1), step(-1), step(1), step(1), step(1)]).toEqual(['3', '2', '1', '1', '2', '3', '3']);
    expect(new View().step(1, [])).toBeUndefined();
  });

  it('shows what was judged, what was reported, and what is looked for', () => {
    const { river, say, view } = flowing();
    say(2, 'passed');
    say(1, 'masked');
    river.report('2', 3);
    view.show.value = 'judged';
    expect(shown(view, river)).toEqual(['2', '3']);
    view.show.value = 'reported';
    expect(shown(view, river)).toEqual(['2']);
    view.show.value = 'all';
    view.find.value = ' BOB ';
    expect(shown(view, river)).toEqual(['2']);
    view.find.value = 'text 3';
    expect(shown(view, river)).toEqual(['3']);
  });
});
