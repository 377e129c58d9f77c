// What the services' answers tell of nodes and of the version that judges. Pure.

import type { Hold } from '../api/shapes';

export interface Place {
  node: string;
  address: string;
}

/** The hall's answer to where a room is watched. It is another service's: what does not fit is left out. */
export function places(answer: unknown): { places: Place[]; partition?: number } {
  if (typeof answer !== 'object' || answer === null) return { places: [] };
  const { nodes, partition } = answer as { nodes?: unknown; partition?: unknown };
  const places = (Array.isArray(nodes) ? nodes : []).filter(
    (node): node is Place => typeof node?.node === 'string' && typeof node?.address === 'string',
  );
  return typeof partition === 'number' ? { places, partition } : { places };
}

/** The last held message that tells by which version it was judged. */
export function evidence(holds: readonly Pick<Hold, 'held_ms' | 'rules_version'>[]): { version: number; at: number } | undefined {
  const told = holds.filter(({ rules_version }) => rules_version > 0).sort((one, other) => other.held_ms - one.held_ms)[0];
  return told && { version: told.rules_version, at: told.held_ms };
}
