// An event stream's text, piece by piece, into its events (the WHATWG rules). Pure: where the pieces come from is `stream`'s.

export interface StreamEvent {
  /** `message` where none is said. */
  kind: string;
  /** The last id that was said, on this event or before. */
  id: string;
  data: string;
}

/** One event of the service is under 2 KB, and a held danmaku at most a few; what is longer is no event of ours. */
const LINE_MAX = 1 << 20;

export class EventReader {
  private rest = '';
  private kind = '';
  private data: string[] = [];
  private id = '';
  /** A piece ended in CR: an LF at the next one's beginning belongs to it. */
  private sawReturn = false;
  private isFirst = true;

  /** The events that this piece completes. */
  push(piece: string): StreamEvent[] {
    const events: StreamEvent[] = [];
    for (const line of this.lines(piece)) {
      const event = this.line(line);
      if (event) events.push(event);
    }
    return events;
  }

  private lines(piece: string): string[] {
    let text = piece;
    if (this.sawReturn && text.startsWith('\n')) text = text.slice(1);
    if (piece !== '') this.sawReturn = text.endsWith('\r');
    if (this.isFirst && text !== '') {
      text = text.replace(/^\uFEFF/, '');
      this.isFirst = false;
    }
    const lines = (this.rest + text).split(/\r\n|\n|\r/);
    this.rest = lines.pop() ?? '';
    if (this.rest.length > LINE_MAX) throw new Error(`a line of an event stream is longer than ${LINE_MAX}`);
    return lines;
  }

  private line(line: string): StreamEvent | undefined {
    if (line === '') return this.end();
    const colon = line.indexOf(':');
    if (colon === 0) return undefined;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') this.data.push(value);
    if (field === 'event') this.kind = value;
    if (field === 'id' && !value.includes('\0')) this.id = value;
    return undefined;
  }

  private end(): StreamEvent | undefined {
    const { kind, data, id } = this;
    this.kind = '';
    this.data = [];
    return data.length > 0 ? { kind: kind || 'message', id, data: data.join('\n') } : undefined;
  }
}
