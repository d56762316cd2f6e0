import type { Finding } from '../doctor/finding.ts';
import { fault, ok, reason, skipped, warning } from '../doctor/finding.ts';
import type { Store } from '../store.ts';

const check = 'log.published';
/** Batches are a second apart; a worker that died is replaced after ten. */
const lateSeconds = 60;

/** Judges whether the evidence log is published as entries come. */
export async function* examineLog({ evidenceLog }: Pick<Store, 'evidenceLog'>): AsyncGenerator<Finding> {
  try {
    const { waiting, lagSeconds, refusal } = await evidenceLog.readCondition();
    if (refusal !== null) {
      yield fault(
        check,
        `The evidence log is not signed. ${refusal}`,
        'See docs/evidence-log.md, “When the log refuses to sign”. Nothing is lost meanwhile: entries wait.',
      );
    } else if (lagSeconds > lateSeconds) {
      yield warning(
        check,
        `${waiting} entries of the evidence log are not published; the oldest has been waiting for ${Math.round(lagSeconds)} seconds.`,
        'Start a process `work`, and look for `the evidence log was not continued` in its log.',
      );
    } else yield ok(check, 'The evidence log is published as entries come.');
  } catch (error) {
    yield skipped(check, `The evidence log cannot be examined: ${reason(error)}.`);
  }
}
