// Which versions a book had, what each changed, and going back to one.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Diff, Stamp, Versions } from '../api/shapes';
import { usePage } from '../frame/page';
import { Button, Dialog, Field, Said } from '../frame/parts';
import { clock } from '../frame/time';
import { words } from '../frame/words';
import { DiffView } from './diff-view';
import type { Shelf } from './shelf';

export function VersionsView({ shelf, mayEdit }: { shelf: Shelf; mayEdit: boolean }) {
  const w = words.value;
  const { api, notes } = usePage();
  const known = useSignal<Versions | undefined>(undefined);
  const shown = useSignal<{ from: number; to: number; diff: Diff } | undefined>(undefined);
  const going = useSignal<Stamp | undefined>(undefined);
  useEffect(() => {
    void api.versions(shelf.scope).then((answer) => {
      if (answer.ok) known.value = answer.value;
      else notes.say(w.refused(answer.refusal), 'no');
    });
  }, [shelf, shelf.edition.value, shelf.version.value?.number]);
  const compare = async (from: number, to: number) => {
    const answer = await api.diff(shelf.scope, from, to);
    if (answer.ok) shown.value = { from, to, diff: answer.value };
    else notes.say(w.refused(answer.refusal), 'no');
  };
  const { versions = [], published = 0 } = known.value ?? {};
  return (
    <div class="versions">
      <ol>
        {versions.map((stamp, at) => (
          <OneVersion
            key={stamp.number}
            stamp={stamp}
            isNow={at === 0}
            isPublished={stamp.number <= published}
            isShown={shown.value?.to === stamp.number}
            onCompare={() => void compare(versions[at + 1]?.number ?? 0, stamp.number)}
            onBack={mayEdit && at > 0 ? () => (going.value = stamp) : undefined}
          />
        ))}
      </ol>
      <section class="versions-near" aria-live="polite">
        {shown.value && <DiffView {...shown.value} />}
      </section>
      {known.value && versions.length === 0 && <p class="hint">{w.book.noVersion}</p>}
      {going.value && <BackDialog shelf={shelf} to={going.value} onClose={() => (going.value = undefined)} />}
    </div>
  );
}

interface One {
  stamp: Stamp;
  isNow: boolean;
  isPublished: boolean;
  isShown: boolean;
  onCompare: () => void;
  onBack: (() => void) | undefined;
}

function OneVersion({ stamp, isNow, isPublished, isShown, onCompare, onBack }: One) {
  const w = words.value;
  const page = usePage();
  return (
    <li class={isShown ? 'version is-chosen' : 'version'}>
      <b>{stamp.number}</b>
      <div>
        <p>
          <span class="plus">+{w.number(stamp.added)}</span> <span class="minus">−{w.number(stamp.removed)}</span> <span class="swap">~{w.number(stamp.changed)}</span>
          <span class="dim"> · {w.book.entries(stamp.entries)}</span>
          {isNow && <i class="tag is-approved">{w.versions.now}</i>}
          {!isPublished && <i class="tag is-masked">{w.versions.waiting}</i>}
        </p>
        <p class="dim">
          <Said>{page.who(stamp.author)}</Said> · {clock(stamp.at_ms, Date.now(), w.lang)}
          {stamp.reason && (
            <>
              {' '}
              · <Said>{stamp.reason}</Said>
            </>
          )}
        </p>
      </div>
      <div class="acts">
        <Button onClick={onCompare}>{w.versions.diff}</Button>
        {onBack && <Button onClick={onBack}>{w.versions.rollback}</Button>}
      </div>
    </li>
  );
}

function BackDialog({ shelf, to, onClose }: { shelf: Shelf; to: Stamp; onClose: () => void }) {
  const w = words.value;
  const reason = useSignal('');
  const go = () => {
    onClose();
    void shelf.rollback(to.number, reason.value.trim());
  };
  return (
    <Dialog title={w.versions.rollback} onClose={onClose}>
      <p>{w.versions.rollbackSure(to.number)}</p>
      <Field label={w.book.reason} wide>
        <input type="text" autofocus maxLength={160} value={reason.value} onInput={(event) => (reason.value = event.currentTarget.value)} />
      </Field>
      <footer class="acts">
        <Button onClick={onClose}>{w.cancel}</Button>
        <Button tone="main" onClick={go}>
          {w.versions.rollback}
        </Button>
      </footer>
    </Dialog>
  );
}
