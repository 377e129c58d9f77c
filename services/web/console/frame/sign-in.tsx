// Coming in: with a development token where the server gives one, else with one that is pasted.

import { useState } from 'preact/hooks';
import { type Language, speak, words } from './words';
import { Button, Field } from './parts';
import { usePage } from './page';

export function SignIn() {
  const w = words.value;
  const [trouble, tell] = useState('');
  return (
    <main class="sign">
      <div class="sign-box">
        <header>
          <Mark />
          <h1>{w.sign.head}</h1>
          <p class="dim">{w.sign.lead}</p>
        </header>
        <Develop onTrouble={tell} />
        <Paste onTrouble={tell} />
        <p role="alert" class="trouble">
          {trouble}
        </p>
        <LanguageButton />
      </div>
    </main>
  );
}

function Develop({ onTrouble }: { onTrouble: (text: string) => void }) {
  const w = words.value;
  const { session } = usePage();
  const [name, setName] = useState('mod');
  const submit = async (event: Event) => {
    event.preventDefault();
    const came = await session.develop(name.trim() || 'mod', ['viewer', 'moderator', 'admin']);
    if (came !== 'ok') onTrouble(came === 'none' ? w.sign.noDevelop : w.sign.unreachable);
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Field label={w.sign.name} wide>
        <input type="text" maxLength={40} value={name} autoComplete="nickname" onInput={(event) => setName(event.currentTarget.value)} />
      </Field>
      <button type="submit" class="button is-main">
        {w.sign.develop}
      </button>
      <p class="dim">{w.sign.developNote}</p>
    </form>
  );
}

function Paste({ onTrouble }: { onTrouble: (text: string) => void }) {
  const w = words.value;
  const { session } = usePage();
  const [token, setToken] = useState('');
  const submit = (event: Event) => {
    event.preventDefault();
    if (!session.take(token)) onTrouble(w.sign.notToken);
  };
  return (
    <form onSubmit={submit}>
      <Field label={w.sign.token} wide>
        <textarea rows={3} spellcheck={false} autoComplete="off" value={token} onInput={(event) => setToken(event.currentTarget.value)} />
      </Field>
      <button type="submit" class="button is-plain" disabled={token.trim() === ''}>
        {w.sign.paste}
      </button>
      <p class="dim">{w.sign.kept}</p>
    </form>
  );
}

export function LanguageButton() {
  const other: Language = words.value.lang === 'en' ? 'zh' : 'en';
  return <Button onClick={() => speak(other)}>{words.value.other}</Button>;
}

/** Three danmaku on their way. */
export function Mark() {
  return (
    <svg class="brand" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="9" />
      <path d="M7 11h13" />
      <path d="M13 17h12" />
      <path d="M8 23h9" />
    </svg>
  );
}
