// Coming in: with a development token where the server gives one, else with one that is pasted.

import { useState } from 'preact/hooks';
import { type Language, speak, words } from './words';
import { Button, Field } from './parts';
import { usePage } from './page';

export function SignIn() {
  const w = words.value;
  const { session } = usePage();
  const [name, setName] = useState('mod');
  const [token, setToken] = useState('');
  const [trouble, setTrouble] = useState('');
  const develop = async () => {
    const came = await session.develop(name.trim() || 'mod', ['viewer', 'moderator', 'admin']);
    if (came !== 'ok') setTrouble(came === 'none' ? w.sign.noDevelop : w.sign.unreachable);
  };
  const paste = () => {
    if (!session.take(token)) setTrouble(w.sign.notToken);
  };
  const submit = (act: () => void) => (event: Event) => {
    event.preventDefault();
    act();
  };
  return (
    <main class="sign">
      <div class="sign-box">
        <header>
          <Mark />
          <h1>{w.sign.head}</h1>
          <p class="dim">{w.sign.lead}</p>
        </header>
        <form onSubmit={submit(() => void develop())}>
          <Field label={w.sign.name} wide>
            <input type="text" maxLength={40} value={name} autoComplete="nickname" onInput={(event) => setName(event.currentTarget.value)} />
          </Field>
          <button type="submit" class="button is-main">
            {w.sign.develop}
          </button>
          <p class="dim">{w.sign.developNote}</p>
        </form>
        <form onSubmit={submit(paste)}>
          <Field label={w.sign.token} wide>
            <textarea rows={3} spellcheck={false} autoComplete="off" value={token} onInput={(event) => setToken(event.currentTarget.value)} />
          </Field>
          <button type="submit" class="button is-plain" disabled={token.trim() === ''}>
            {w.sign.paste}
          </button>
          <p class="dim">{w.sign.kept}</p>
        </form>
        <p role="alert" class="trouble">
          {trouble}
        </p>
        <LanguageButton />
      </div>
    </main>
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
