// The three bad networks, as numbers. What each number does is in `namespace.ts` (loss) and `link.ts` (all else).

export interface Network {
  /** Of every hundred packets on their way to the device; 0 where none can be lost. */
  lossPercent: number;
  roundTripMs: number;
  /** How often each befalls a session, on average. */
  stalls: number;
  silences: number;
  moves: number;
}

// Silences, moves and the gateway's restart (schedule.ts) end a connection for good, and are what somebody fails by who never comes
// back. The means of the first two add up to 0.2, 0.3 and 0.5, so that e^-0.2, e^-0.3 and e^-0.5 of such sessions meet none of them; two
// thirds of those, 48 % of all, are not behind that gateway either: the 48 % of the field's report.
export const NETWORKS: readonly Network[] = [
  { lossPercent: 20, roundTripMs: 300, stalls: 1, silences: 0.1, moves: 0.1 },
  { lossPercent: 40, roundTripMs: 800, stalls: 1.5, silences: 0.15, moves: 0.15 },
  { lossPercent: 60, roundTripMs: 1500, stalls: 2, silences: 0.25, moves: 0.25 },
];

export function nameOf({ lossPercent, roundTripMs }: Network): string {
  const trip = `${roundTripMs.toLocaleString('en')} ms`;
  return lossPercent > 0 ? `loss ${lossPercent} %, ${trip}` : trip;
}
