// The pages of a list as a screen holds them: asked one after the other, as far as somebody looks.

import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Listed } from '../api/shapes';
import { usePage } from '../frame/page';
import { words } from '../frame/words';
import { PAGE, Pages } from './pages';
import type { Shelf } from './shelf';

/** Between two letters of somebody who types. */
const TYPING_MS = 200;

/** The pages that are here, and a way to say how far one looks. */
export function usePages(shelf: Shelf, list: Listed, find: string) {
  const { api } = usePage();
  const pages = useRef(new Pages(find !== ''));
  const drawn = useSignal(0);
  const trouble = useSignal('');
  const wanted = useRef(0);
  const isAsking = useRef(false);
  void drawn.value;

  const ask = async (mine: Pages): Promise<void> => {
    const after = mine.wants(wanted.current);
    if (after === undefined || isAsking.current || mine !== pages.current) return;
    isAsking.current = true;
    const answer = await api.entries(shelf.scope, list.name, { find, after, limit: PAGE });
    isAsking.current = false;
    if (mine !== pages.current) return void ask(pages.current);
    trouble.value = answer.ok ? '' : words.peek().refused(answer.refusal);
    if (answer.ok && mine.take(after, answer.value)) drawn.value += 1;
    if (answer.ok) await ask(mine);
  };

  useEffect(() => {
    const begin = () => {
      pages.current = new Pages(find !== '');
      wanted.current = 0;
      void ask(pages.current);
    };
    const timer = setTimeout(begin, find === '' ? 0 : TYPING_MS);
    return () => clearTimeout(timer);
  }, [shelf, list.name, find, shelf.edition.value]);

  const reach = (last: number) => {
    wanted.current = last;
    void ask(pages.current);
  };
  return { pages: pages.current, reach, trouble: trouble.value };
}
