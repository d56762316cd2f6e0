import { Readable } from 'node:stream';
import { isStorable, unstorable } from '../domain/contacts/contact-from-input.ts';
import { Faults } from '../domain/faults.ts';

/** Enough to help a person; a body may have almost as many texts as bytes. */
const maxFaults = 100;

/**
 * Refuses texts that cannot be stored, wherever they are in a query, in JSON or in a form, and lists their positions.
 * Checks every field, including future ones: a text of this kind that reaches the database is a bug.
 */
export function requireStorableTexts(input: unknown): void {
  const faults = new Faults();
  for (const pointer of unstorableIn(input, '')) {
    faults.add(pointer, 'invalid_input', unstorable);
    if (faults.found.length === maxFaults) break;
  }
  faults.throwIfAny();
}

/** JSON pointers (RFC 6901) to the texts and names that cannot be stored. The depth of JSON is already limited. */
function* unstorableIn(value: unknown, pointer: string): Generator<string, void, void> {
  if (typeof value === 'string') {
    if (!isStorable(value)) yield pointer;
  } else if (typeof value === 'object' && value !== null && !isBytes(value)) {
    const entries: Iterable<[string, unknown]> = value instanceof URLSearchParams ? value : Object.entries(value);
    for (const [name, item] of entries) {
      if (isStorable(name)) yield* unstorableIn(item, `${pointer}/${escapeName(name)}`);
      else yield pointer;
    }
  }
}

const isBytes = (value: object) => value instanceof Readable || ArrayBuffer.isView(value);
const escapeName = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');
