import type { Draft } from '../drafts/draft-store.ts';

/** A client that received no response repeats its request within this time, or asks its user. */
const repetitionSeconds = 10 * 60;
/** How many dispatches of a draft are remembered: others may come between a request and its repetition. */
export const rememberedDispatches = 10;

/** Whether the same request was carried out a short while ago. */
export function wasJustDispatched({ dispatches }: Pick<Draft, 'dispatches'>, digest: Buffer): boolean {
  return dispatches.some((dispatch) => dispatch.ageSeconds <= repetitionSeconds && dispatch.digest.equals(digest));
}
