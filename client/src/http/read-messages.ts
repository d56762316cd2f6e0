import type { IncomingMessage } from 'node:http';
import { readPieces, unexpectedResponse } from './response.ts';

/** A block of server-sent events. One without data only moves the cursor. */
export interface SentMessage {
  readonly id: string | undefined;
  readonly data: string | undefined;
}

/** Far above the size of any event. */
const maxBlockLength = 1024 * 1024;

/** Yields the blocks of a stream as they arrive. Throws if the stream breaks off. */
export async function* readMessages(response: IncomingMessage): AsyncGenerator<SentMessage, void, void> {
  if (!response.headers['content-type']?.startsWith('text/event-stream')) {
    throw unexpectedResponse(response, 'something that is not a stream of events');
  }
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of readPieces(response)) {
    text += decoder.decode(piece, { stream: true });
    const blocks = text.split(/\r?\n\r?\n/);
    text = blocks.pop() ?? '';
    if (text.length > maxBlockLength) throw unexpectedResponse(response, 'an event that is too large');
    for (const block of blocks) yield { id: readField(block, 'id'), data: readField(block, 'data') };
  }
}

function readField(block: string, name: string): string | undefined {
  const line = block.split(/\r?\n/).find((each) => each.startsWith(`${name}:`));
  return line?.slice(name.length + 1).replace(/^ /, '');
}
