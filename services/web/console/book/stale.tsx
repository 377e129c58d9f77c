// Somebody was faster: what is there now, what it changed, and the two ways on.

import { useSignal } from '@preact/signals';
import type { Diff } from '../api/shapes';
import { usePage } from '../frame/page';
import { Button, Dialog, Said } from '../frame/parts';
import { clock } from '../frame/time';
import { words } from '../frame/words';
import { DiffView } from './diff-view';
import type { Shelf, Stale } from './shelf';

export function StaleDialog({ shelf, stale }: { shelf: Shelf; stale: Stale }) {
  const w = words.value;
  const page = usePage();
  const diff = useSignal<Diff | undefined>(undefined);
  const { seen, newest } = stale;
  const close = () => (shelf.stale.value = undefined);
  const look = async () => {
    const answer = await page.api.diff(shelf.scope, seen, newest.number);
    if (answer.ok) diff.value = answer.value;
    else page.notes.say(w.refused(answer.refusal), 'no');
  };
  const take = () => {
    close();
    void shelf.load().then(() => (shelf.edition.value += 1));
  };
  const retry = () => {
    close();
    void stale.again();
  };
  return (
    <Dialog title={w.stale.head} onClose={close}>
      <p>{w.stale.lead(seen, newest.number)}</p>
      <blockquote>
        <Said>{w.stale.by(page.who(newest.author), clock(newest.at_ms, Date.now(), w.lang))}</Said>
        {newest.reason && <Said>{` · ${newest.reason}`}</Said>}
      </blockquote>
      {diff.value && <DiffView from={seen} to={newest.number} diff={diff.value} />}
      <footer class="acts">
        {!diff.value && <Button onClick={() => void look()}>{w.stale.look}</Button>}
        <Button onClick={take}>{w.stale.take}</Button>
        <Button tone="main" onClick={retry}>
          {w.stale.retry}
        </Button>
      </footer>
    </Dialog>
  );
}
