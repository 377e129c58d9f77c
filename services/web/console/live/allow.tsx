// Letting a phrase through in this room: what was found in a message is offered, and a second click does it.

import { useEffect, useState } from 'preact/hooks';
import { type Open, usePage } from '../frame/page';
import { Button, Dialog, Field, Said } from '../frame/parts';
import { words } from '../frame/words';
import type { Line } from './river';

export function AllowDialog({ line, open, onClose }: { line: Line; open: Open; onClose: () => void }) {
  const w = words.value;
  const { api } = usePage();
  const [phrase, say] = useState('');
  const [isAsking, ask] = useState(true);
  useEffect(() => {
    void api.dryRun({ text: line.text, name: line.name, room: open.room.name }).then((answer) => {
      ask(false);
      const hit = answer.ok ? answer.value.tried[0]?.hits[0] : undefined;
      if (hit) say((said) => said || hit.found);
    });
  }, []);
  const go = async () => {
    if (await open.acts.allow(phrase.trim())) onClose();
  };
  return (
    <Dialog title={w.allow.head} onClose={onClose}>
      <p>{w.allow.lead}</p>
      <blockquote>
        <Said>{line.text}</Said>
      </blockquote>
      <Field label={w.allow.phrase} wide>
        <input type="text" autofocus dir="auto" maxLength={200} value={phrase} placeholder={isAsking ? w.allow.ask : ''} onInput={(event) => say(event.currentTarget.value)} />
      </Field>
      <footer class="acts">
        <Button onClick={onClose}>{w.cancel}</Button>
        <Button tone="good" disabled={phrase.trim() === ''} onClick={() => void go()}>
          {w.allow.go}
        </Button>
      </footer>
    </Dialog>
  );
}
