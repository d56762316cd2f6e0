import { setImmediate } from 'node:timers/promises';
import { limits } from '@waybill/protocol';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { inTurns } from '../../domain/flow/in-turns.ts';
import { quoteName } from './validation-message.ts';

/** A full contact list has 10,000 objects, each with a list of groups. */
const maxContainers = 25_000;
/** A full contact list has 500,000 names of groups. */
const maxValues = 600_000;
/** Many times what any object of ours has. */
const maxKeys = 1_000;
/** Characters between two possible pauses. */
const pieceLength = 64 * 1024;
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * JSON without what JSON.parse allows: duplicate keys (each reader may use a different one), `__proto__`, unlimited
 * nesting, numbers that are too large, and bytes that are not UTF-8. A large body takes several turns of the event loop.
 */
export async function parseJson(body: Buffer): Promise<unknown> {
  const pause = () => (body.length > pieceLength ? setImmediate() : undefined);
  try {
    const text = utf8.decode(body);
    for await (const _ of inTurns(refuseAmbiguity(text)));
    await pause();
    const value: unknown = JSON.parse(text);
    await pause();
    refuseInfinite(value);
    await pause();
    return value;
  } catch (cause) {
    if (cause instanceof ExchangeError) throw cause;
    throw notJson(cause);
  }
}

/** JSON.parse says where it stopped; an empty body is the mistake of a client that sends none. */
function notJson(cause?: unknown): ExchangeError {
  const reason = cause instanceof SyntaxError ? `Correct this: ${cause.message.replace(/\.$/, '')}.` : undefined;
  const advice =
    reason ?? 'Write names and texts in double quotes, put no comma after the last one, and encode it in UTF-8.';
  return new ExchangeError('malformed_request', 'The body is not JSON in UTF-8.', { cause, advice });
}

/** Not done by JSON.parse's reviver, which takes seconds for a long array. The depth is already limited. */
function refuseInfinite(value: unknown): void {
  if (value === Infinity || value === -Infinity) {
    throw new ExchangeError('malformed_request', 'A number in the body is too large: each must be less than 1e308.');
  }
  if (Array.isArray(value)) for (const item of value) refuseInfinite(item);
  else if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) refuseInfinite(item);
}

const [quote, backslash, comma, colon] = Array.from('"\\,:', (character) => character.charCodeAt(0));
const [openBrace, closeBrace, openBracket, closeBracket] = Array.from('{}[]', (character) => character.charCodeAt(0));

/**
 * One pass that looks only at strings, commas, colons and brackets, with a step for each piece. Invalid JSON may get through,
 * because JSON.parse comes next. Written by hand, because a regular expression runs out of stack on a long string.
 */
function* refuseAmbiguity(text: string): Generator<void, void, void> {
  const open: (Set<string> | undefined)[] = [];
  // The last string.
  let [start, end] = [0, 0];
  let [containers, values, pieceEnd] = [0, 0, pieceLength];
  for (let at = 0; at < text.length; at += 1) {
    if (at >= pieceEnd) {
      pieceEnd = at + pieceLength;
      yield;
    }
    const character = text.charCodeAt(at);
    if (character === quote) {
      start = at;
      for (at += 1; at < text.length && text.charCodeAt(at) !== quote; at += 1)
        if (text.charCodeAt(at) === backslash) at += 1;
      end = at + 1;
    } else if (character === openBrace || character === openBracket) {
      containers += 1;
      if (containers > maxContainers) {
        throw new ExchangeError(
          'malformed_request',
          `The body has more than ${maxContainers} objects and lists. Send it in several requests.`,
        );
      }
      if (open.push(undefined) > limits.jsonDepth) {
        throw new ExchangeError(
          'malformed_request',
          `The body is nested more than ${limits.jsonDepth} levels deep. Compare it with the API reference.`,
        );
      }
    } else if (character === closeBrace || character === closeBracket) {
      open.pop();
    } else if (character === comma) {
      values += 1;
      if (values > maxValues)
        throw new ExchangeError(
          'malformed_request',
          `The body has more than ${maxValues} values. Send it in several requests.`,
        );
    } else if (character === colon) {
      open[open.length - 1] = addKey(readKey(text.slice(start, end)), open.at(-1) ?? new Set());
      end = start;
    }
  }
}

/** An escape may write a key in another way. */
function readKey(string: string): string {
  if (string === '') throw notJson();
  return string.includes('\\') ? (JSON.parse(string) as string) : string.slice(1, -1);
}

function addKey(key: string, keys: Set<string>): Set<string> {
  if (keys.has(key))
    throw new ExchangeError(
      'malformed_request',
      `The key ${quoteName(key)} appears twice in one object of the body. Send it once.`,
    );
  if (keys.size === maxKeys)
    throw new ExchangeError(
      'malformed_request',
      `An object of the body has more than ${maxKeys} keys. Compare it with the API reference.`,
    );
  if (key === '__proto__') throw new ExchangeError('malformed_request', 'The body must not have a key "__proto__".');
  return keys.add(key);
}
