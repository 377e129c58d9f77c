// What the moderators' service says, as far as this page reads it. How it is asked is kept out (`client`, `api`).

export interface Stamp {
  number: number;
  scope: string;
  author: string;
  at_ms: number;
  reason: string;
  entries: number;
  published: number;
  added: number;
  removed: number;
  changed: number;
}

export type ListMode = 'enforce' | 'observe' | 'draft';
export interface Listed {
  name: string;
  mode: ListMode;
  comment: string;
  entries: number;
}
export interface Lists {
  version?: Stamp;
  lists: Listed[];
}

export const KINDS = ['word', 'allow', 'regex'] as const;
export const ACTIONS = ['policy', 'pass', 'flag', 'mask', 'block', 'hold', 'shadow', 'limit', 'mute'] as const;
export const BOUNDARIES = ['auto', 'whole', 'anywhere'] as const;
export type Kind = (typeof KINDS)[number];
export type Action = (typeof ACTIONS)[number];
export type Boundary = (typeof BOUNDARIES)[number];

export interface Entry {
  id?: string;
  list?: string;
  kind: Kind;
  /** Absent for who may not read a private one. */
  text?: string;
  category: string;
  severity: number;
  action: Action;
  mandatory: boolean;
  boundary: Boundary;
  gaps?: number;
  numeric: boolean;
  pinyin: boolean;
  split: boolean;
  starts_ms: number;
  expires_ms: number;
  broadcast: boolean;
  also?: string[];
  within: number;
  comment?: string;
  tags?: string[];
  private: boolean;
  author?: string;
  added_ms?: number;
}

export interface Entries {
  version?: number;
  total: number;
  entries: Entry[];
  next?: string;
}

export interface Finding {
  line: number;
  text: string;
  with: string;
}
export interface Findings {
  count: number;
  first: Finding[];
}
export const DOUBTS = ['duplicates', 'one_character', 'contained', 'collides', 'too_broad'] as const;
export type Doubt = (typeof DOUBTS)[number];
export type Report = { entries: number } & Record<Doubt, Findings>;

export interface Problem {
  line?: number;
  message: string;
}
export interface Edited {
  version?: Stamp;
  report: Report;
}

export interface Changed {
  before: Entry;
  after: Entry;
}
export interface Diff {
  tally: { added: number; removed: number; changed: number };
  added: Entry[];
  removed: Entry[];
  changed: Changed[];
  lists: string[];
  policy_before?: unknown;
  policy_after?: unknown;
}
export interface Versions {
  versions: Stamp[];
  /** Up to here everything is on Kafka. */
  published: number;
}

/** Where an entry was found, in characters as readers count them. */
export interface Found {
  entry: string;
  list: string;
  category: string;
  start: number;
  end: number;
  observe?: boolean;
}
export interface Hold {
  id: string;
  room: string;
  user: string;
  name: string;
  text: string;
  held_ms: number;
  deadline_ms: number;
  rule: string;
  hits: Found[];
  rules_version: number;
  decision?: { outcome: string; by: string; at_ms: number; reason: string; text?: string; verdict?: string };
}
export interface HoldRule {
  hold_ms: number;
  on_timeout: 'deny' | 'allow';
}

export interface Refused {
  id: string;
  user: string;
  at_ms: number;
  verdict: string;
  code: string;
  rule: string;
  text: string;
}

export interface Mode {
  slow_ms: number;
  level_min: number;
  followers_min_s: number;
  emote_only: boolean;
  emergency: boolean;
  delay_ms: number;
}
export interface InForce {
  mode: Mode;
  ends_ms?: number;
  by: string;
  at_ms: number;
}

export interface Sanction {
  subject: string;
  of: string;
  until_ms?: number;
  broadcast: boolean;
  by: string;
  at_ms: number;
  reason: string;
}
export interface Sanctions {
  sanctions: Sanction[];
  next?: string;
}

export interface EntryNumbers {
  entry: string;
  list: string;
  category: string;
  hits: number;
  observed: number;
  first_ms: number;
  last_ms: number;
  held: number;
  approved: number;
  rejected: number;
  approve_rate?: number;
}

export interface AuditRow {
  sequence: number;
  at_ms: number;
  act: string;
  scope: string;
  actor: string;
  subject: string;
  reason: string;
  before: string;
  after: string;
  hash: string;
}
export interface Verified {
  whole: boolean;
  rows: number;
  broken_at?: number;
  head: string;
}

export interface Hit extends Found {
  text?: string;
  severity: number;
  reading: string;
  field: string;
  found: string;
}
export interface Cluster {
  text: string;
  points: string[];
  steps?: { what: string; became: string }[];
  symbols: string;
  sign?: string;
}
export interface Candidate {
  entry: string;
  word?: string;
  covered: string;
  start: number;
  end: number;
  reading?: string;
  rejected?: string;
  outcome?: string;
}
export interface Tried {
  line: number;
  text: string;
  action: string;
  mute_s?: number;
  code?: string;
  rule?: string;
  weak?: boolean;
  shown?: string;
  hits: Hit[];
  trace?: { folding: { clusters: Cluster[]; symbols: string; compared: string; key: string }; candidates: Candidate[] };
}
export interface Outcome {
  texts: number;
  found: number;
  tried: Tried[];
}

export interface Sample {
  id: string;
  at_ms: number;
  user: string;
  text: string;
  action: string;
  hits: Found[];
}
export interface Tested {
  whole: boolean;
  looked_at: number;
  found_before: number;
  found_after: number;
  new: { count: number; samples: Sample[] };
  lost: { count: number; samples: Sample[] };
  otherwise: number;
}

/** A partition as the newest records in it tell. An owner's number names no machine. */
export interface Judged {
  partition: number;
  owner?: string;
  version?: number;
  judged_ms?: number;
  says: string;
}
export interface Filters {
  published: number;
  published_ms: number;
  partitions: Judged[];
}

export interface ReportedMessage {
  id: string;
  reports: number;
  last_ms: number;
}
