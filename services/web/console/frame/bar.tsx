// The bar on top and the rail of screens: where one is, in which room, how both lines are, and what holds there.

import { useState } from 'preact/hooks';
import { modeParts } from '../live/mode-words';
import { Ends } from '../live/mode-panel';
import { cap, KEYS } from './keys';
import { type Open, type Screen, SCREENS, usePage } from './page';
import { Button, Glyph, Said } from './parts';
import { LanguageButton, Mark } from './sign-in';
import { flipTheme, theme } from './theme';
import { words } from './words';

export function Bar() {
  const w = words.value;
  const page = usePage();
  const open = page.open.value;
  const known = page.session.known.value;
  return (
    <header class="bar">
      <Mark />
      <RoomBox />
      {open && <Lines open={open} />}
      {open && <ModeChips open={open} />}
      <div class="bar-end">
        <Button onClick={() => (page.help.value = true)} label={w.acts.help}>
          <Glyph name="keys" />
        </Button>
        <Button onClick={flipTheme} label={theme.value === 'dark' ? w.theme.toLight : w.theme.toDark}>
          <Glyph name="theme" />
        </Button>
        <LanguageButton />
        <span class="me" title={known?.id}>
          <Said>{known?.name ?? ''}</Said>
        </span>
        <Button onClick={() => page.signOut()} label={w.sign.leave}>
          <Glyph name="leave" />
        </Button>
      </div>
    </header>
  );
}

export function Rail() {
  const w = words.value;
  const page = usePage();
  const waiting = page.open.value?.room.desk.waiting.value.length ?? 0;
  const keyOf = (screen: Screen) => KEYS.find(({ act }) => act === `screen-${screen}`)?.keys[0] ?? '';
  return (
    <nav class="rail" aria-label={w.brand}>
      {SCREENS.map((screen) => (
        <button key={screen} type="button" aria-current={page.screen.value === screen ? 'page' : undefined} aria-keyshortcuts={keyOf(screen)} onClick={() => (page.screen.value = screen)}>
          <Glyph name={screen} />
          <span>{w.screens[screen]}</span>
          <kbd aria-hidden="true">{cap(keyOf(screen))}</kbd>
          {screen === 'live' && waiting > 0 && <b class="count is-some">{waiting}</b>}
        </button>
      ))}
    </nav>
  );
}

function RoomBox() {
  const w = words.value;
  const page = usePage();
  const name = page.open.value?.room.name ?? '';
  const [said, say] = useState(name);
  const go = (event: Event) => {
    event.preventDefault();
    if (said.trim() !== '' && said.trim() !== name) page.enter(said.trim());
  };
  return (
    <form class="room" onSubmit={go}>
      <input type="text" list="rooms" aria-label={w.bar.room} value={said} maxLength={128} spellcheck={false} onInput={(event) => say(event.currentTarget.value)} onBlur={() => say(page.open.value?.room.name ?? said)} />
      <datalist id="rooms">
        {page.rooms.value.map((room) => (
          <option key={room} value={room} />
        ))}
      </datalist>
    </form>
  );
}

/** The public wire and the moderators' stream: two lines, and one may be down alone. */
function Lines({ open }: { open: Open }) {
  const w = words.value;
  const { desk } = open.room;
  const [wire, stream] = [desk.wire.value, desk.stream.value];
  const isWell = wire.kind === 'live' && stream === 'open';
  const isOver = wire.kind === 'stopped' || stream === 'refused';
  const streamWords = w.bar.stream[stream] ?? stream;
  return (
    <div class={`lines ${isWell ? 'is-well' : isOver ? 'is-over' : 'is-waiting'}`} role="status" title={streamWords}>
      <i class="dot" />
      <span>{w.bar.wire[wire.kind] ?? wire.kind}</span>
      {wire.kind === 'stopped' && <span>{wire.reason || wire.code}</span>}
      {stream !== 'open' && <span>{streamWords}</span>}
      {desk.online.value !== undefined && (
        <span class="online">
          {w.number(desk.online.value)} {w.bar.online}
        </span>
      )}
      {isOver && <Button onClick={() => open.room.reconnect()}>{w.bar.reconnect}</Button>}
    </div>
  );
}

function ModeChips({ open }: { open: Open }) {
  const w = words.value;
  const { desk } = open.room;
  const inForce = desk.mode.value;
  const parts = inForce ? modeParts(inForce.mode, w) : [];
  if (!inForce || parts.length === 0) return null;
  return (
    <p class="chips bar-mode">
      {parts.map((part) => (
        <i key={part} class="tag is-held">
          {part}
        </i>
      ))}
      {inForce.ends_ms !== undefined && <Ends at={inForce.ends_ms} now={desk.now} />}
    </p>
  );
}
