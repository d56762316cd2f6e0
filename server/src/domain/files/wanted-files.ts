import { limits } from '@waybill/protocol';
import { ExchangeError, type Faults } from '../exchange-error.ts';
import { toVisibleName } from '../safe-name.ts';

/** A file, or a kind of file, that a request asks for. */
export interface WantedFile {
  readonly name: string;
  /** Empty if there is none. */
  readonly note: string;
}

/** Which of the wanted files, by its place in their list, the file with an id is. */
export type WantedPlaces = ReadonlyMap<string, number>;

/** The list in the form in which it is stored. A fault is recorded. */
export function checkWanted(faults: Faults, wanted: readonly WantedFile[]): WantedFile[] {
  const shown = wanted.map(({ name, note }) => ({ name: toVisibleName(name), note: toVisibleName(note) }));
  const max = limits.wantedFilesPerRequest;
  if (shown.length > max) {
    faults.add({ field: 'wanted' }, 'invalid_input', `A request can want at most ${max} files. Choose fewer.`);
  }
  const { nameLength } = limits;
  if (shown.some(({ name, note }) => name === '' || name.length > nameLength || note.length > nameLength)) {
    const detail = `Each wanted file has a name of 1 to ${nameLength} characters, and a note of at most as many. Correct the list.`;
    faults.add({ field: 'wanted' }, 'invalid_input', detail);
  }
  return shown;
}

/** Throws if a place is not one of the list. */
export function requirePlaces(wanted: readonly WantedFile[], places: WantedPlaces): void {
  for (const place of places.values()) {
    if (Number.isInteger(place) && place >= 0 && place < wanted.length) continue;
    throw new ExchangeError(
      'invalid_input',
      `The request has no wanted file with the number ${place}. Use the numbers of its list, which begin with 0.`,
    );
  }
}
