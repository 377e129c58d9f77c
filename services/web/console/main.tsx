// Puts the console on the page.

import { render } from 'preact';
import { App } from './app';
import { Page } from './frame/page';
import { beginTheme } from './frame/theme';
import { beginLanguage } from './frame/words';
import './looks/base.css';
import './looks/frame.css';
import './looks/live.css';
import './looks/book.css';
import './looks/record.css';

const root = document.getElementById('console');
if (root) {
  beginTheme();
  beginLanguage();
  const page = new Page();
  page.session.restore(location.hash);
  render(<App page={page} />, root);
}
