import { Readable } from 'node:stream';
import { isStorable, unstorable } from '../../domain/contacts/contact-from-input.ts';
import { InvalidParts } from './validation-message.ts';

/** Enough to help a person; a body may have almost as many texts as bytes. */
const maxFaults = 100;

/**
 * Refuses texts that cannot be stored, wherever they are in a query, in JSON or in a form, and lists their positions.
 * Checks every field, including future ones: a text of this kind that reaches the database is a bug.
 */
export function requireStorableTexts(input: unknown, place: 'query' | 'body' = 'body'): void {
  const pointers: string[] = [];
  findUnstorable(input, [], pointers);
  if (pointers.length > 0) throw new InvalidParts(pointers.slice(0, maxFaults), unstorable, place);
}

/**
 * Adds the JSON pointers (RFC 6901) to the texts and names that cannot be stored. The depth of JSON is already limited, and
 * what is found in hundreds of thousands of texts must cost nothing but for those.
 */
function findUnstorable(value: unknown, path: (string | number)[], pointers: string[]): void {
  if (pointers.length >= maxFaults) return;
  if (typeof value === 'string') {
    if (!isStorable(value)) pointers.push(toPointer(path));
  } else if (typeof value === 'object' && value !== null && !isBytes(value)) {
    const isList = Array.isArray(value);
    const entries: Iterable<[string | number, unknown]> =
      isList || value instanceof URLSearchParams ? value.entries() : Object.entries(value);
    for (const [name, item] of entries) {
      if (isList || isStorable(name as string)) {
        path.push(name);
        findUnstorable(item, path, pointers);
        path.pop();
      } else pointers.push(toPointer(path));
    }
  }
}

const toPointer = (path: readonly (string | number)[]) => path.map((name) => `/${escapeName(String(name))}`).join('');
const isBytes = (value: object) => value instanceof Readable || ArrayBuffer.isView(value);
const escapeName = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');
