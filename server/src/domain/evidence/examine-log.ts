import type { Finding } from '../doctor/finding.ts';
import { fault, ok, reason, skipped, warning } from '../doctor/finding.ts';
import type { Engines } from '../engines.ts';
import type { TimeStampAuthority } from '../ports/time-stamp-authority.ts';
import { collectCosignatures, type WitnessOutcome } from './collect-cosignatures.ts';
import { findNewest, ignoreOutdated } from './cosign-log.ts';
import type { Log, LogCondition } from './log-store.ts';
import { readCheckpoint } from './published-checkpoint.ts';
import { readTilesOf } from './read-log.ts';
import { formatKeyId, isSupported } from './signing-keys.ts';
import { findLastPublished, toOrigin } from './start-epoch.ts';

interface Needs extends Pick<Engines, 'store' | 'logObjects' | 'witnesses' | 'timeStampAuthority'> {
  readonly policy: Pick<Engines['policy'], 'publicUrl'>;
}

/** Batches are a second apart; a worker that died is replaced after ten. */
const lateSeconds = 60;
/** Time stamps are at most an hour apart. */
const unstampedSecondsLimit = 7_200;
const witnessMs = 15_000;
/** The log may grow while a witness is asked. */
const maxAttempts = 5;

/** Judges whether the evidence log is published as entries come, by all its keys, stamped, and cosigned by its witnesses. */
export async function* examineLog(engines: Needs): AsyncGenerator<Finding> {
  const { evidenceLog } = engines.store;
  try {
    const condition = await evidenceLog.readCondition();
    yield (await findOtherLog(engines)) ?? judgeCondition(condition);
    if (engines.timeStampAuthority) yield judgeTimeStamps(condition, engines.timeStampAuthority);
    const log = await findNewest(engines.store);
    if (!log) return;
    yield judgeName(log, engines.policy);
    yield await judgeKeys(engines, log);
    yield* examineWitnesses(engines);
  } catch (error) {
    yield skipped('log', `The evidence log cannot be examined: ${reason(error)}.`);
  }
}

/** A database that began beside a bucket in use has none of the epochs that it found there. */
async function findOtherLog(engines: Pick<Needs, 'store' | 'logObjects'>): Promise<Finding | undefined> {
  const known = await engines.store.evidenceLog.list();
  if (known.some(({ epoch }) => epoch === 1)) return undefined;
  const last = await findLastPublished(engines);
  if (!last) return undefined;
  return fault(
    'log.published',
    'The bucket has an evidence log that began before this database: it belongs to another one.',
    'Stop all processes. Correct WAYBILL_DATABASE_URL, or restore the newest backup: waybilld admin restore --overwrite --from PLACE. Until then, whatever this database accepts is lost with it.',
  );
}

function judgeCondition({ waiting, stranded, lagSeconds, refusal }: LogCondition): Finding {
  const check = 'log.published';
  if (refusal !== null) {
    return fault(
      check,
      `The evidence log is not signed. ${refusal}`,
      'See docs/evidence-log.md, “When the log refuses to sign”. Nothing is lost meanwhile: entries wait.',
    );
  }
  if (stranded > 0) {
    return fault(
      check,
      `${stranded} entries of the evidence log have a place in an epoch that has ended, and no checkpoint that proves it: their receipts cannot be made.`,
      'Log them again in a new epoch: waybilld admin log start-epoch --reason "entries without a checkpoint"',
    );
  }
  if (lagSeconds > lateSeconds) {
    return warning(
      check,
      `${waiting} entries of the evidence log are not published; the oldest has been waiting for ${Math.round(lagSeconds)} seconds.`,
      'Start a process `work`, and look for `the evidence log was not continued` in its log.',
    );
  }
  return ok(check, 'The evidence log is published as entries come.');
}

function judgeTimeStamps(
  { unstampedSeconds, stampFailure }: LogCondition,
  { isVerified }: TimeStampAuthority,
): Finding {
  const stamped = 'log.stamped';
  const minutes = Math.round(unstampedSeconds / 60);
  if (stampFailure !== null) {
    return warning(
      stamped,
      `The last request for a time stamp of the evidence log failed: ${stampFailure}. The oldest entry without one is ${minutes} minutes old.`,
      'Check WAYBILL_TIMESTAMP_URL, WAYBILL_TIMESTAMP_CA_FILE and the connection to the authority. `work` tries again by itself; receipts are made meanwhile, without a time stamp of the newest events.',
    );
  }
  if (unstampedSeconds > unstampedSecondsLimit) {
    return warning(
      stamped,
      `Entries of the evidence log have had no time stamp for ${minutes} minutes.`,
      'Start a process `work`, or restart it after a change of settings.',
    );
  }
  if (!isVerified) {
    return warning(
      stamped,
      'The evidence log is stamped, but nobody verifies the signatures of its time stamps.',
      'Name the certificates of the authority in WAYBILL_TIMESTAMP_CA_FILE.',
    );
  }
  return ok(stamped, 'The evidence log is stamped as entries come.');
}

/** Every receipt names the log, and its name is fixed when an epoch starts. */
function judgeName({ epoch, origin }: Log, { publicUrl }: Needs['policy']): Finding {
  const check = 'log.name';
  const expected = toOrigin(publicUrl, epoch);
  if (origin === expected) return ok(check, `The evidence log is named ${origin}, as the public address is.`);
  return warning(
    check,
    `The evidence log is named ${origin}, and with the public address of today it would be ${expected}. Receipts show the former.`,
    'If the public address is right, give the log its name: waybilld admin log start-epoch --reason "the public address has changed". Receipts of before stay valid.',
  );
}

async function judgeKeys({ store }: Pick<Needs, 'store'>, { epoch }: Log): Promise<Finding> {
  const check = 'log.keys';
  const keys = (await store.evidenceLog.listKeys(epoch)).filter(({ retiredAt }) => retiredAt === null);
  const unused = keys.filter(({ algorithm }) => !isSupported(algorithm));
  if (unused.length === 0) return ok(check, 'Every key of the evidence log can sign.');
  return warning(
    check,
    `This version of Node cannot sign with ${unused.map(({ keyId, algorithm }) => `the key ${formatKeyId(keyId)} (${algorithm})`).join(' and ')}. The evidence log is signed by the others alone.`,
    'Run `work` with a Node that has ML-DSA-44: 24.7 or newer, built with OpenSSL 3.5. Receipts can be verified meanwhile.',
  );
}

/** Asks each witness for a cosignature on the newest checkpoint, as `work` does, and stores none. */
async function* examineWitnesses({ store, logObjects, witnesses }: Needs): AsyncGenerator<Finding> {
  const signal = AbortSignal.timeout(witnessMs);
  let { list } = witnesses;
  for (let attempt = 1; attempt <= maxAttempts && list.length > 0; attempt += 1) {
    const log = await findNewest(store);
    const checkpoint = readCheckpoint(log?.checkpoint ?? null);
    if (!log?.checkpoint || !checkpoint) return;
    const readTile = readTilesOf(logObjects, log.epoch, signal);
    const newest = { note: log.checkpoint, checkpoint, readTile };
    const { outcomes } = await collectCosignatures({ list, ask: witnesses.ask }, newest, new Map(), signal);
    const current = await ignoreOutdated(store, outcomes);
    for (const [name, outcome] of current) yield judgeWitness(name, outcome);
    list = list.filter(({ name }) => !current.has(name));
  }
}

function judgeWitness(name: string, outcome: WitnessOutcome): Finding {
  const check = 'log.witnesses';
  if (outcome.result === 'cosigned') return ok(check, `The witness ${name} cosigns the evidence log.`);
  if (outcome.result === 'refused') {
    return fault(
      check,
      `The witness ${name} refuses to cosign the evidence log: ${outcome.reason}.`,
      'Find out why before you do anything else: docs/evidence-log.md, “Witnesses”. Ask its operator for the line of its output that says REFUSED or FORK, and run `waybilld admin log check`.',
    );
  }
  return warning(
    check,
    `The witness ${name} does not cosign the evidence log: ${outcome.reason}.`,
    outcome.status === 403 || outcome.status === 404
      ? 'It does not have the current keys of the log. Send its operator the policy of this server, /log/policy, and ask for a restart of the witness with it.'
      : 'Ask its operator whether it runs, and check that this machine may connect to its URL in WAYBILL_WITNESSES. Receipts have no cosignature of it meanwhile.',
  );
}
