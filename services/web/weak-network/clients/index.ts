// The three clients that are compared, in the order of the table.

import type { Make } from './client.js';
import { fixed } from './fixed.js';
import { none } from './none.js';
import { ours } from './ours.js';

export const KINDS = ['none', 'fixed', 'ours'] as const;
export type Kind = (typeof KINDS)[number];

export const CLIENTS: Record<Kind, Make> = { none, fixed, ours };
