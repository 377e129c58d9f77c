// From a file's text to a recording, whichever form it has. What is wrong with a line costs that line alone.

import { readNdjson } from './read-ndjson';
import { readXml } from './read-xml';
import type { Recording } from './rows';

/** The recording in a file, or nothing if it is none. */
export function read(text: string): Recording | undefined {
  const first = text.replace(/^\uFEFF/, '').trimStart();
  const recording = first.startsWith('<') ? readXml(text) : first.startsWith('{') ? readNdjson(text) : undefined;
  if (!recording || (recording.rows.length === 0 && recording.startMs === undefined)) return undefined;
  // Files of others are not always in order. The sort is stable, so lines of one moment stay as they were.
  recording.rows.sort((one, other) => one.at - other.at);
  return recording;
}
