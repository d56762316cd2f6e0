import { limits } from '@waybill/protocol';
import { ExchangeError } from '../domain/exchange-error.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * JSON without what JSON.parse forgives: a key twice (each reader may believe another one), `__proto__`, nesting
 * without a bound, numbers too large for a number, and bytes that are not UTF-8.
 */
export function parseJson(body: Buffer): unknown {
  try {
    const text = utf8.decode(body);
    const value: unknown = JSON.parse(text, refuseInfinite);
    refuseDuplicateKeys(text);
    return value;
  } catch (cause) {
    if (cause instanceof ExchangeError) throw cause;
    throw new ExchangeError('malformed_request', 'The body is not JSON in UTF-8.', { cause });
  }
}

function refuseInfinite(_key: string, value: unknown): unknown {
  if (value === Infinity || value === -Infinity) {
    throw new ExchangeError('malformed_request', 'A number in the body is too large.');
  }
  return value;
}

/** One pass over text that is known to be JSON, looking only at strings, colons and brackets. */
function refuseDuplicateKeys(text: string): void {
  const token = /"(?:[^"\\]|\\.)*"|[{}[\]:]/g;
  const open: (Set<string> | undefined)[] = [];
  let string = '';
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const found = match[0];
    if (found === '{') open.push(new Set());
    else if (found === '[') open.push(undefined);
    else if (found === '}' || found === ']') open.pop();
    else if (found === ':') refuseKey(JSON.parse(string) as string, open.at(-1));
    else string = found;
    if (open.length > limits.jsonDepth) throw new ExchangeError('malformed_request', 'The body is nested too deeply.');
  }
}

function refuseKey(key: string, keys: Set<string> | undefined): void {
  if (keys?.has(key)) throw new ExchangeError('malformed_request', 'A key stands twice in one object of the body.');
  if (key === '__proto__') throw new ExchangeError('malformed_request', 'A key of the body is not acceptable.');
  keys?.add(key);
}
