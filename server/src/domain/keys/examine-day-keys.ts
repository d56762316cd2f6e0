import type { Finding } from '../doctor/finding.ts';
import { fault, ok, reason, skipped } from '../doctor/finding.ts';
import type { Engines } from '../engines.ts';
import { toDate } from './day-keys.ts';
import { isLost } from './lost-key.ts';

const check = 'keys.days';
/** More do not make it clearer. */
const named = 5;

/** Opens every day key. */
export async function* examineDayKeys({
  store,
  dayKeys,
}: Pick<Engines, 'dayKeys'> & { readonly store: Pick<Engines['store'], 'dayKeys'> }): AsyncGenerator<Finding> {
  try {
    const days = await store.dayKeys.list();
    const lost: string[] = [];
    for (const { day } of days) {
      await dayKeys.open(day).catch((error: unknown) => {
        if (!isLost(error)) throw error;
        lost.push(toDate(day));
      });
    }
    if (lost.length === 0) {
      yield ok(check, `All ${days.length} day keys are in the bucket and open.`);
      return;
    }
    const dates = `${lost.slice(0, named).join(', ')}${lost.length > named ? ' and others' : ''}`;
    yield fault(
      check,
      `${lost.length} day keys are not in the bucket or do not open: ${dates}. Files that end on these days cannot be read.`,
      'Put them back from where you keep a copy: waybilld admin day-keys import --from PLACE',
    );
  } catch (error) {
    yield skipped(check, `The day keys cannot be examined: ${reason(error)}.`);
  }
}
