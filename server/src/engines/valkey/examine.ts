import { randomUUID } from 'node:crypto';
import { type Redis, ReplyError } from 'ioredis';
import type { Finding } from '../../domain/doctor/finding.ts';
import { clockFinding, fault, ok, reachRemedy, reason, warning } from '../../domain/doctor/finding.ts';
import { isNodeOfCluster, nodeOfCluster, readFacts } from './check.ts';
import { connectValkey } from './connect.ts';

export interface ValkeyExamination {
  readonly url: string;
  readonly now?: () => number;
  /** The oldest major version that is still maintained. */
  readonly oldestMaintained?: number;
}

const nearlyFull = 0.9;

export async function* examineValkey(options: ValkeyExamination): AsyncGenerator<Finding> {
  const { url, now = Date.now, oldestMaintained = 6 } = options;
  let lastError: Error | undefined;
  const redis = connectValkey(url, (error) => {
    lastError = error;
  });
  try {
    const refused = await redis.ping().then(
      () => undefined,
      refusal(() => lastError),
    );
    if (refused) {
      yield refused;
      return;
    }
    const facts = await readFacts(redis);
    yield ok(
      'valkey.reachable',
      `${facts['server_name'] === 'valkey' ? 'Valkey' : 'Redis'} ${version(facts)} responds.`,
    );
    if (Number.parseInt(version(facts), 10) < oldestMaintained) {
      const says = `Version ${version(facts)} is no longer maintained, and Waybill is not tested with it.`;
      yield warning('valkey.version', says, 'Install Valkey 8, or Redis 7 or later.');
    }
    if (isNodeOfCluster(facts)) {
      yield fault('valkey.mode', nodeOfCluster.says, nodeOfCluster.remedy);
      return;
    }
    if (facts['role'] === 'slave') {
      const remedy = 'Put the address of the primary into WAYBILL_REDIS_URL.';
      yield fault('valkey.mode', 'The server is a replica, which accepts no changes.', remedy);
      return;
    }
    yield ok('valkey.mode', 'The server is a single server or a primary.');
    yield await write(redis);
    yield memory(facts);
    const [seconds, micros] = await redis.time();
    yield clockFinding('valkey.clock', 'Valkey or Redis', Number(seconds) * 1000 + Number(micros) / 1000, now());
  } finally {
    redis.disconnect();
  }
}

function refusal(lastError: () => Error | undefined): (error: Error) => Finding {
  return (error) => {
    const response = [error, lastError()].find((candidate) => candidate instanceof ReplyError);
    if (response && /^(?:NOAUTH|WRONGPASS|NOPERM)/.test(response.message)) {
      const remedy = 'Put the user and the password into WAYBILL_REDIS_URL: redis://USER:PASSWORD@HOST:PORT.';
      return fault('valkey.login', `The server refuses us: ${reason(response)}.`, remedy);
    }
    if (response) return refusedChange(response);
    const cause = lastError() ?? error;
    const remedy = 'Start it, check that this machine may connect to it, or correct WAYBILL_REDIS_URL.';
    return fault('valkey.reachable', `Valkey or Redis is out of reach: ${reason(cause)}.`, reachRemedy(cause, remedy));
  };
}

const version = (facts: Readonly<Record<string, string>>) =>
  facts['valkey_version'] ?? facts['redis_version'] ?? 'of an unknown version';

/** A key of its own that vanishes by itself. */
async function write(redis: Redis): Promise<Finding> {
  try {
    await redis.set(`waybill:doctor:${randomUUID()}`, '1', 'EX', 1);
    return ok('valkey.write', 'The server accepts changes.');
  } catch (error) {
    return refusedChange(error as Error);
  }
}

/** Redis also refuses a PING when it cannot save. */
function refusedChange(error: Error): Finding {
  if (error.message.startsWith('OOM')) {
    return fault('valkey.memory', 'Its memory is full, and it refuses changes.', moreMemory);
  }
  const remedy = error.message.startsWith('MISCONF')
    ? 'Free space on its disk and look at its log; or turn snapshots off, which Waybill does not need: set save "" in its configuration.'
    : 'Allow the user in WAYBILL_REDIS_URL all commands on all keys.';
  return fault('valkey.write', `The server refuses changes: ${reason(error)}.`, remedy);
}

const moreMemory = 'Raise maxmemory, or give Waybill a server of its own. A few hundred megabytes are enough.';

function memory(facts: Readonly<Record<string, string>>): Finding {
  const [used, limit] = [Number(facts['used_memory']), Number(facts['maxmemory'])];
  const policy = facts['maxmemory_policy'];
  if (limit === 0) return ok('valkey.memory', 'Its memory has no limit of its own.');
  if (used > nearlyFull * limit) {
    const then = policy === 'noeviction' ? 'it will refuse changes' : 'it removes tokens that are still valid';
    const says = `It uses ${Math.round((100 * used) / limit)} % of its memory; when it is full, ${then}.`;
    return warning('valkey.memory', says, moreMemory);
  }
  return ok('valkey.memory', `It uses ${Math.round((100 * used) / limit)} % of its memory.`);
}
