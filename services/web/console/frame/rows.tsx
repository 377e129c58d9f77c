// A list of which only what is seen is there: rows of one height, by the thousand. What is in a row is kept out.

import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

interface Rows {
  count: number;
  /** Of each row, in pixels. */
  height: number;
  keyOf: (index: number) => string;
  row: (index: number) => ComponentChildren;
  label: string;
  /** Stays at the end while rows come. */
  follows?: boolean;
  /** Brought into view when it changes; -1 is none. */
  chosen?: number;
  /** Which rows are seen now. */
  onSeen?: (first: number, last: number) => void;
  class?: string;
  /** Of the element that holds the focus. */
  activeId?: string | undefined;
  onScrolledUp?: () => void;
}

export function Rows(props: Rows) {
  const { count, height, keyOf, row, label, follows = false, chosen = -1, onSeen, activeId, onScrolledUp } = props;
  const box = useRef<HTMLDivElement>(null);
  const seen = useVirtual(box, count, height, keyOf, follows);
  const items = seen.getVirtualItems();
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];

  useEffect(() => onSeen?.(first, last), [first, last, count]);
  useLayoutEffect(() => {
    if (follows) seen.scrollToEnd();
  }, [follows]);
  // What is chosen stays in sight, also when the box becomes smaller by what is told of it.
  useLayoutEffect(() => {
    if (chosen >= 0) seen.scrollToIndex(chosen, { align: 'auto' });
  }, [chosen, seen.scrollRect?.height]);

  const wheel = (event: WheelEvent) => event.deltaY < 0 && onScrolledUp?.();
  return (
    <div ref={box} class={`rows ${props.class ?? ''}`} onWheel={wheel} onTouchMove={() => onScrolledUp?.()}>
      <div
        class="rows-all"
        role="listbox"
        tabIndex={0}
        aria-label={label}
        aria-activedescendant={activeId}
        style={{ height: `${seen.getTotalSize()}px` }}
      >
        {items.map((item) => (
          <div key={item.key} class="rows-one" style={{ height: `${height}px`, transform: `translateY(${item.start}px)` }}>
            {row(item.index)}
          </div>
        ))}
      </div>
    </div>
  );
}

function useVirtual(box: RefObject<HTMLDivElement | null>, count: number, height: number, keyOf: (index: number) => string, follows: boolean) {
  const [, redraw] = useState(0);
  const options = {
    count,
    getScrollElement: () => box.current,
    estimateSize: () => height,
    getItemKey: keyOf,
    // At the end a burst stands below what is seen until the scroll is told, a frame later.
    overscan: follows ? 40 : 8,
    anchorTo: follows ? ('end' as const) : ('start' as const),
    followOnAppend: follows,
    // A row that came while the last one was scrolled to.
    scrollEndThreshold: 4 * height,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => redraw((times) => times + 1),
  };
  const [virtual] = useState(() => new Virtualizer<HTMLDivElement, HTMLDivElement>(options));
  virtual.setOptions(options);
  useLayoutEffect(() => virtual._didMount(), []);
  useLayoutEffect(() => virtual._willUpdate());
  return virtual;
}
