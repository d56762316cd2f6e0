import { limits } from '@waybill/protocol';
import { ExchangeError } from '../domain/exchange-error.ts';

/** A full contact list has 10,000 objects, each with a list of groups. */
const maxContainers = 25_000;
/** Many times what any object of ours has. */
const maxKeys = 1_000;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * JSON without what JSON.parse allows: duplicate keys (each reader may use a different one), `__proto__`, unlimited
 * nesting, numbers that are too large, and bytes that are not UTF-8.
 */
export function parseJson(body: Buffer): unknown {
  try {
    const text = utf8.decode(body);
    refuseAmbiguity(text);
    const value: unknown = JSON.parse(text);
    refuseInfinite(value);
    return value;
  } catch (cause) {
    if (cause instanceof ExchangeError) throw cause;
    throw new ExchangeError('malformed_request', 'The body is not JSON in UTF-8.', { cause });
  }
}

/** Not done by JSON.parse's reviver, which takes seconds for a long array. The depth is already limited. */
function refuseInfinite(value: unknown): void {
  if (value === Infinity || value === -Infinity) {
    throw new ExchangeError('malformed_request', 'A number in the body is too large.');
  }
  if (Array.isArray(value)) for (const item of value) refuseInfinite(item);
  else if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) refuseInfinite(item);
}

/**
 * One pass that looks only at strings, colons and brackets. Invalid JSON may get through, because JSON.parse comes
 * next. Written by hand, because a regular expression runs out of stack on a long string.
 */
function refuseAmbiguity(text: string): void {
  const open: (Set<string> | undefined)[] = [];
  let string = '';
  let containers = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') {
      const start = at;
      for (at += 1; at < text.length && text[at] !== '"'; at += 1) if (text[at] === '\\') at += 1;
      string = text.slice(start, at + 1);
    } else if (character === '{' || character === '[') {
      containers += 1;
      if (containers > maxContainers) {
        throw new ExchangeError('malformed_request', `The body has more than ${maxContainers} objects and lists.`);
      }
      if (open.push(undefined) > limits.jsonDepth) {
        throw new ExchangeError('malformed_request', 'The body is nested too deeply.');
      }
    } else if (character === '}' || character === ']') {
      open.pop();
    } else if (character === ':') {
      open[open.length - 1] = addKey(readKey(string), open.at(-1) ?? new Set());
      string = '';
    }
  }
}

/** An escape may write a key in another way. */
function readKey(string: string): string {
  if (string === '') throw new ExchangeError('malformed_request', 'The body is not JSON in UTF-8.');
  return string.includes('\\') ? (JSON.parse(string) as string) : string.slice(1, -1);
}

function addKey(key: string, keys: Set<string>): Set<string> {
  if (keys.has(key)) throw new ExchangeError('malformed_request', 'A key appears twice in one object of the body.');
  if (keys.size === maxKeys)
    throw new ExchangeError('malformed_request', `An object of the body has more than ${maxKeys} keys.`);
  if (key === '__proto__') throw new ExchangeError('malformed_request', 'A key of the body is not acceptable.');
  return keys.add(key);
}
