import { comparePaths } from '../../../present/texts/file-order.ts';
import { type Entry, isStopped, type UploadState } from './upload-entry.ts';

/** With more files than this, those that need the person come first, and ready files are folded. */
const comfortable = 10;

/** Other states rank between those that need the person and those that wait for their turn. */
const ranks: Partial<Record<UploadState, number>> = { interrupted: -1, waiting: 1 };

interface Arranged {
  /** Files that cannot be sent. */
  readonly stopped: readonly Entry[];
  readonly folded: readonly Entry[];
  readonly listed: readonly Entry[];
}

/** The order of the rows, which stays as it is while a person reads the list. */
export class ListOrder {
  readonly #compare: (one: string, other: string) => number;
  /** The files that were folded last, and the places of the others. */
  #folded: ReadonlySet<number> = new Set();
  #places: ReadonlyMap<number, number> = new Map();
  #isFrozen = false;
  #newest = 0;

  constructor(locale: string) {
    this.#compare = comparePaths(locale);
  }

  /** From now on, no row moves or is folded, until files are added. */
  freeze(): void {
    this.#isFrozen = true;
  }

  arrange(all: readonly Entry[]): Arranged {
    const newest = Math.max(0, ...all.map(({ key }) => key));
    if (newest > this.#newest) this.#isFrozen = false;
    this.#newest = newest;
    const sorted = all.toSorted((one, other) => this.#compare(one.path ?? one.name, other.path ?? other.name));
    const stopped = sorted.filter(isStopped);
    const entries = sorted.filter((entry) => !isStopped(entry));
    if (this.#isFrozen) {
      const place = ({ key }: Entry) => this.#places.get(key) ?? Number.POSITIVE_INFINITY;
      const isFolded = ({ key, state }: Entry) => state === 'ready' && this.#folded.has(key);
      return {
        stopped,
        folded: entries.filter(isFolded),
        listed: entries
          .filter((entry) => !isFolded(entry))
          .toSorted((one, other) => byNumber(place(one), place(other))),
      };
    }
    const isLong = entries.length > comfortable;
    const folded = isLong ? entries.filter(({ state }) => state === 'ready') : [];
    const listed = isLong ? entries.filter(({ state }) => state !== 'ready').toSorted(byUrgency) : entries;
    this.#folded = new Set(folded.map(({ key }) => key));
    this.#places = new Map(listed.map(({ key }, index) => [key, index]));
    return { stopped, folded, listed };
  }
}

function byUrgency(one: Entry, other: Entry): number {
  return byNumber(ranks[one.state] ?? 0, ranks[other.state] ?? 0);
}

function byNumber(one: number, other: number): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
