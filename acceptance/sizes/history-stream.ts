import { StringDecoder } from 'node:string_decoder';
import type { HistoryEntry } from '../lib/http/shapes.ts';

/**
 * Reads a get_history.cgi response of any length: yields each entry of `history` as it ends, and finally what was
 * around them, so that together they are a parse of the whole.
 */
export async function readHistoryStream(
  pieces: AsyncIterable<Buffer>,
  onEntry: (entry: HistoryEntry) => void,
): Promise<{ live_drops: string; inbox: unknown[] }> {
  const decoder = new StringDecoder('utf8');
  let around = '';
  let entry = '';
  let depth = 0;
  let inString = false;
  let escaped = false;
  let inHistory = true;

  const take = (text: string) => {
    let from = 0;
    for (let at = 0; at < text.length; at++) {
      const character = text[at];
      if (inString) {
        if (escaped) escaped = false;
        else if (character === '\\') escaped = true;
        else if (character === '"') inString = false;
      } else if (character === '"') {
        inString = true;
      } else if (character === '{' || character === '[') {
        // {"history":[ is two levels deep; what opens there is an entry.
        if (inHistory && depth === 2) {
          around += text.slice(from, at);
          from = at;
        }
        depth += 1;
      } else if (character === '}' || character === ']') {
        depth -= 1;
        if (inHistory && depth === 2) {
          entry += text.slice(from, at + 1);
          from = at + 1;
          onEntry(JSON.parse(entry) as HistoryEntry);
          entry = '';
        } else if (depth === 1) {
          inHistory = false;
        }
      }
    }
    if (inHistory && depth > 2) entry += text.slice(from);
    else around += text.slice(from);
  };

  for await (const piece of pieces) take(decoder.write(piece));
  take(decoder.end());
  const commas = /^\{"history":\[,*\]/;
  if (!commas.test(around)) throw new Error(`not a history: ${around.slice(0, 200)}`);
  return JSON.parse(around.replace(commas, '{"history":[]')) as { live_drops: string; inbox: unknown[] };
}
