// What the hall's answer tells of its nodes. Pure.

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
