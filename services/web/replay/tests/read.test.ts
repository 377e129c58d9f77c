import { expect, test } from 'vitest';
import { read } from '../read';

const xml = (rows: string, head = '') => `<?xml version="1.0"?>\n<i>\n<chatserver>x</chatserver><chatid>demo</chatid>${head}\n${rows}\n</i>\n`;

test('our own export, as XML', () => {
  const head = '<danmaku room="a&amp;b" since="900" start="1000" until="9000" cut="true"/>';
  const rows = `<d p="12.345,4,36,65280,12000,0,u1,1-3-7" user="A&quot;&lt;b&gt;">a &lt; b &amp; c &apos;</d>
<d p="1.000,1,25,16777215,12000,0,u1,1-3-6" user="">first</d>
<gift ts="13.000" user="Ann" uid="u1" giftname="Rose" giftcount="3"/>
<sc ts="14.000" user="Ann" uid="u1" price="30" time="60" currency="EUR">Hi!</sc>`;
  const found = read(xml(rows, head));
  expect(found).toMatchObject({ room: 'a&b', sinceMs: 900, startMs: 1000, isCut: true, isWhole: true, unread: 0 });
  expect(found?.rows).toEqual([
    { at: 1, kind: 'chat', name: '', text: 'first', position: 'scroll', size: 'normal' },
    { at: 12.345, kind: 'chat', name: 'A"<b>', text: "a < b & c '", position: 'bottom', size: 'large', color: '#00ff00' },
    { at: 13, kind: 'gift', name: 'Ann', text: 'Rose ×3', position: 'scroll', size: 'normal' },
    { at: 14, kind: 'super', name: 'Ann', text: 'Hi!', position: 'scroll', size: 'normal' },
  ]);
});

test('what real files of others hold', () => {
  const rows = `<d p="3,5,18,undefined,1,0,a,1">top\u0001\u0008</d>
<d p="x,1,25,255,1,0,a,1">no time</d>
<d p="2">alone</d><d p="1,1,25,255,1,0,a,1">a lone & and &#20320;&#x597d; &nbsp;</d><d p="4,1,25,1,1,0,a,1"></d>`;
  const found = read(xml(rows).replace('</i>\n', ''));
  expect(found?.rows.map(({ at, text, color, position }) => [at, text, color, position])).toEqual([
    [1, 'a lone & and 你好 &nbsp;', '#0000ff', 'scroll'],
    [2, 'alone', undefined, 'scroll'],
    [3, 'top', undefined, 'top'],
  ]);
  expect(found).toMatchObject({ room: 'demo', unread: 1, isWhole: false, isCut: false });
  expect(found?.startMs).toBeUndefined();
});

test('our own export, as lines of JSON', () => {
  const lines = [
    { export: { room: 'demo', since: 900, start: 1000, until: 9000, cut: false } },
    { room: 'demo', shown: 2500, id: '1-0-1', at: 2000, user: { id: 'u', name: 'Ann' }, text: 'Hi', color: '#ff8800', size: 'large' },
    { room: 'demo', shown: 2600, id: '1-0-2', kind: 'gift', user: { id: 'u', name: 'Ann' }, data: { name: 'Rose', count: 3 } },
    { room: 'demo', shown: 2700, id: '1-0-3', kind: 'system', text: 'soon' },
    { room: 'demo', shown: 2800, id: '1-0-4', kind: 'event', event: 'score', data: {} },
    { room: 'demo', shown: 2900, id: '1-0-5', text: 'x', kind: 'later', color: 'red', position: 7 },
    { end: { rows: 5 } },
  ];
  const found = read(`${lines.map((line) => JSON.stringify(line)).join('\n')}\nnot json\n[1]\n{"text":"no time"}\n`);
  expect(found).toMatchObject({ room: 'demo', sinceMs: 900, startMs: 1000, isCut: false, isWhole: true, unread: 3 });
  expect(found?.rows).toEqual([
    { at: 1.5, kind: 'chat', name: 'Ann', text: 'Hi', position: 'scroll', size: 'large', color: '#ff8800' },
    { at: 1.6, kind: 'gift', name: 'Ann', text: 'Rose ×3', position: 'scroll', size: 'normal' },
    { at: 1.7, kind: 'system', name: '', text: 'soon', position: 'top', size: 'normal' },
    { at: 1.9, kind: 'chat', name: '', text: 'x', position: 'scroll', size: 'normal' },
  ]);
});

test('an export of a quiet room is one, and anything else is none', () => {
  expect(read('{"export":{"room":"demo","since":1,"start":1,"until":2,"cut":false}}\n{"end":{"rows":0}}\n')?.rows).toEqual([]);
  for (const text of ['', 'hello', '<html><body>no</body></html>', '{"code":"unauthorized"}', '\u0000\u0001']) expect(read(text)).toBeUndefined();
});
