// Hands one danmaku to the door and asks again while the answer is "unknown"; no DOM, no words.

const RETRY_MS = 1_500;
const UNKNOWN_MS_MAX = 50_000; // the judge remembers a client_id for 60 s, so until here a repeat cannot show twice

/** Resolves to {ok, id} or {ok: false, code, waitMs}; `tools` are {ask, sleep, now} for tests. */
export async function post(room, pass, danmaku, tools = browser) {
  const body = JSON.stringify({ ...danmaku, client_id: tools.id() });
  let until = tools.now() + UNKNOWN_MS_MAX;
  let renewed = false;
  for (;;) {
    const said = await once(room, pass, body, tools);
    if (said.ok) return said;
    if (said.code === 'unauthorized' && !renewed) {
      renewed = true;
      pass.forget();
      continue;
    }
    until = Math.min(until, said.until ?? until);
    const wait = said.waitMs ?? RETRY_MS;
    if (!said.isUnknown || tools.now() + wait > until) return said;
    await tools.sleep(wait);
  }
}

async function once(room, pass, body, tools) {
  let answer;
  try {
    const token = await pass.token();
    if (!token) return { ok: false, code: 'watch_only' };
    answer = await tools.ask(`/v1/rooms/${encodeURIComponent(room)}/danmaku`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      body,
    });
  } catch {
    return { ok: false, code: 'unreachable', isUnknown: true };
  }
  const said = await answer.json().catch(() => ({}));
  return answer.status === 202 ? { ok: true, id: said.id } : refusal(answer, said);
}

function refusal(answer, said) {
  const code = said.code ?? (answer.status === 401 ? 'unauthorized' : 'unknown');
  const header = Number(answer.headers.get('Retry-After') ?? NaN) * 1000;
  const waitMs = said.retry_after_ms ?? (Number.isFinite(header) ? header : undefined);
  return {
    ok: false,
    code,
    waitMs,
    until: said.retry_until,
    isUnknown: answer.status === 503 && code === 'unavailable',
  };
}

const browser = {
  ask: (url, options) => fetch(url, options),
  sleep: (ms) => new Promise((done) => setTimeout(done, ms)),
  now: () => Date.now(),
  id: () =>
    Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join(''),
};
