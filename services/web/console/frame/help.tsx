// All keys, by where they act.

import { cap, KEYS, type Where } from './keys';
import { Dialog } from './parts';
import { words } from './words';

const PLACES: readonly Where[] = ['live', 'line', 'held', 'book', 'anywhere'];

export function Help({ onClose }: { onClose: () => void }) {
  const w = words.value;
  return (
    <Dialog title={w.keys.head} onClose={onClose}>
      <div class="keys">
        {PLACES.map((place) => (
          <section key={place}>
            <h3>{w.keys.where[place]}</h3>
            <dl>
              {KEYS.filter(({ where }) => where === place).map(({ keys, act }) => (
                <div key={act}>
                  <dt>
                    {keys.map((key) => (
                      <kbd key={key}>{cap(key)}</kbd>
                    ))}
                  </dt>
                  <dd>{w.acts[act]}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <p class="dim">{w.keys.note}</p>
      <p class="dim">{w.river.note}</p>
    </Dialog>
  );
}
