import { contractSettings, limitsContract } from '../contracts/limits-contract.ts';
import { MemoryLimits } from './memory-limits.ts';

limitsContract('the limits in memory', async () => {
  const limits = new MemoryLimits();
  const pair = <Engine>(engine: Engine) => [engine, engine] as const;
  return {
    csrfTokens: pair(limits.csrfTokens(contractSettings.csrfTokens)),
    failureLimit: pair(limits.failureLimit(contractSettings.failureLimit)),
    attemptLimit: pair(limits.attemptLimit()),
    messageLimit: pair(limits.messageLimit(contractSettings.messageLimit)),
    receiverPace: pair(limits.receiverPace(contractSettings.receiverPace)),
    elapse: (_subject, seconds) => limits.elapse(seconds),
    [Symbol.asyncDispose]: async () => undefined,
  };
});
