// The notes at the bottom: what was done, said aloud as well, with undo.

import { usePage } from './page';
import { Button, Glyph, Said } from './parts';
import { words } from './words';

export function NotesView() {
  const w = words.value;
  const { notes } = usePage();
  const shown = notes.shown.value;
  const lastUndo = shown.findLast((note) => note.undo)?.id;
  return (
    <div class="notes" role="status" aria-live="polite">
      {shown.map((note) => (
        <div key={note.id} class={`note is-${note.tone}`}>
          <Said>{note.text}</Said>
          {note.undo && (
            <Button {...(note.id === lastUndo ? { act: 'undo' as const } : {})} onClick={() => void notes.undo(note.id)}>
              {w.acts.undo}
            </Button>
          )}
          <Button onClick={() => notes.drop(note.id)} label={w.close}>
            <Glyph name="close" />
          </Button>
        </div>
      ))}
    </div>
  );
}
