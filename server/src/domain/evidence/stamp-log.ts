import { TimeStampError } from '@waybill/evidence';
import type { Engines } from '../engines.ts';
import type { TimeStampAuthority } from '../ports/time-stamp-authority.ts';
import { readCheckpoint, readText } from './published-checkpoint.ts';

type Needs = Pick<Engines, 'store' | 'logger'>;

const firstRetrySeconds = 60;
const lastRetrySeconds = 3_600;

/**
 * Has the newest checkpoint of the log stamped, if it is time, beside the sequencer and never in its way. A request that fails
 * is repeated later and later. Returns whether there is a new time stamp.
 */
export async function stampLog(
  { store, logger }: Needs,
  authority: TimeStampAuthority,
  signal: AbortSignal,
): Promise<boolean> {
  const turn = await store.evidenceLog.takeStampTurn(authority.everySeconds);
  const checkpoint = readCheckpoint(turn?.log.checkpoint ?? null);
  if (!turn?.log.checkpoint || !checkpoint) return false;
  const { log, failures } = turn;
  try {
    const token = await authority.stamp(readText(turn.log.checkpoint), signal);
    await store.evidenceLog.addTimeStamp(log.epoch, { ...checkpoint, root: Buffer.from(checkpoint.root), token });
    if (failures > 0) logger.info('the evidence log is stamped again', { failures });
    return true;
  } catch (error) {
    if (!(error instanceof TimeStampError)) throw error;
    const retrySeconds = Math.min(firstRetrySeconds * 2 ** Math.min(failures, 10), lastRetrySeconds);
    await store.evidenceLog.recordStampFailure(log.epoch, error.message, retrySeconds);
    if (failures === 0) logger.warn('the evidence log was not stamped; it is tried again', { reason: error.message });
    return false;
  }
}
