import { randomBytes, randomUUID } from 'node:crypto';
import { contractSettings, limitsContract } from '../../../test/contracts/limits-contract.ts';
import { engineAddresses } from '../../../test/engine-addresses.ts';
import { valkeyAttemptLimit } from './attempt-limit.ts';
import { connectValkey } from './connect.ts';
import { valkeyCsrfTokens } from './csrf-tokens.ts';
import { valkeyFailureLimit } from './failure-limit.ts';
import { valkeyMessageLimit } from './message-limit.ts';
import { valkeyReceiverPace } from './receiver-pace.ts';

limitsContract('Redis', async () => {
  const random = { bytes: randomBytes, uuid: randomUUID };
  const open = () => connectValkey(engineAddresses.valkey, () => undefined);
  const [here, elsewhere] = [open(), open()];
  const pair = <Engine>(connect: (client: typeof here) => Engine) => [connect(here), connect(elsewhere)] as const;
  return {
    csrfTokens: pair((client) => valkeyCsrfTokens(client, random, contractSettings.csrfTokens)),
    failureLimit: pair((client) => valkeyFailureLimit(client, contractSettings.failureLimit)),
    attemptLimit: pair((client) => valkeyAttemptLimit(client)),
    messageLimit: pair((client) => valkeyMessageLimit(client, contractSettings.messageLimit)),
    receiverPace: pair((client) => valkeyReceiverPace(client, contractSettings.receiverPace)),
    async elapse(subject, seconds) {
      for (const key of await here.keys(`waybill:*${subject}*`)) {
        const type = await here.type(key);
        if (type === 'hash') {
          for (const field of ['since', 'open']) await here.hincrby(key, field, -seconds * 1000);
        }
        if (type === 'zset') {
          for (const member of await here.zrange(key, '0', '-1')) await here.zincrby(key, -seconds * 1000, member);
        }
        const leftMs = (await here.pttl(key)) - seconds * 1000;
        // Time that is over removes a key at once.
        await here.pexpire(key, Math.max(0, leftMs));
      }
    },
    async [Symbol.asyncDispose]() {
      for (const client of [here, elsewhere]) client.disconnect();
    },
  };
});
