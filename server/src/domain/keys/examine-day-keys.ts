import type { Finding } from '../doctor/finding.ts';
import { fault, ok, reason, skipped } from '../doctor/finding.ts';
import type { Engines } from '../engines.ts';
import { MissingObject } from '../exchange-error.ts';
import { query } from '../query.ts';
import { toContext, toDate } from './day-keys.ts';
import { isLost } from './wrapping.ts';

const check = 'keys.days';
/** More do not make it clearer. */
const named = 5;

type Needs = Pick<Engines, 'dayKeys' | 'masterKeys'> & { readonly store: Pick<Engines['store'], 'dayKeys'> };

/** Opens every day key. */
export async function* examineDayKeys(engines: Needs): AsyncGenerator<Finding> {
  try {
    yield* judge(await openDayKeys(engines));
  } catch (error) {
    yield skipped(check, `The day keys cannot be examined: ${reason(error)}.`);
  }
}

interface Opened {
  readonly all: number;
  /** The days whose keys are not in the bucket. */
  readonly missing: readonly number[];
  /** The days whose keys are in the bucket and do not open, with the versions of their master keys. */
  readonly closed: ReadonlyMap<number, number>;
  /** The versions of master keys that opened one. */
  readonly versions: ReadonlySet<number>;
}

async function openDayKeys({ store, dayKeys, masterKeys }: Needs): Promise<Opened> {
  const missing: number[] = [];
  const closed = new Map<number, number>();
  const versions = new Set<number>();
  const days = await store.dayKeys.list();
  for (const { day } of days) {
    const key = await dayKeys.fetch(day).catch((error: unknown) => {
      if (!(error instanceof MissingObject)) throw error;
      missing.push(day);
    });
    if (!key) continue;
    const opened = await masterKeys.unwrap(key.wrapped, key.version, toContext(day)).catch((error: unknown) => {
      if (!isLost(error)) throw error;
    });
    if (opened) versions.add(key.version);
    else closed.set(day, key.version);
    opened?.fill(0);
  }
  return { all: days.length, missing, closed, versions };
}

/** The versions of master keys that are other keys, or missing: they open none of the day keys that they should have wrapped. */
export async function findWrongKeys(engines: Needs): Promise<number[]> {
  return listWrong(await openDayKeys(engines));
}

const listWrong = ({ closed, versions }: Opened) =>
  [...new Set(closed.values())].filter((version) => !versions.has(version)).toSorted((a, b) => a - b);

function* judge(opened: Opened): Generator<Finding> {
  const { all, missing, closed } = opened;
  const wrong = listWrong(opened);
  if (wrong.length > 0) {
    yield fault(
      'keys.master',
      `The master key of version ${wrong.join(' and ')} opens none of the day keys that it should have wrapped: it is another key, or it is missing.`,
      'Put the right key of that version in place, from your safe copy or from another machine. Nothing is lost, and no day key has to be put back.',
    );
  }
  const altered = [...closed].filter(([, version]) => !wrong.includes(version)).map(([day]) => day);
  const lost = [...missing, ...altered].toSorted((a, b) => a - b).map(toDate);
  if (lost.length === 0) {
    if (wrong.length === 0) yield ok(check, `All ${all} day keys are in the bucket and open.`);
    return;
  }
  const isOtherBucket = missing.length === all;
  const dates = `${lost.slice(0, named).join(', ')}${lost.length > named ? ' and others' : ''}`;
  yield fault(
    check,
    `${lost.length} day keys are not in the bucket or do not open: ${dates}. Files that end on these days cannot be read, and nothing that ends on them can be uploaded or sent.`,
    `${isOtherBucket ? 'This looks like another bucket: correct WAYBILL_S3_BUCKET. If it is the right one, put' : 'Put'} them back from where you keep a copy: waybilld admin day-keys import --from PLACE. It says what to do about those that are not there.`,
  );
}

export const listDayKeys = query((store) => store.dayKeys.list);
