import { findDifference } from '../audit/find-difference.ts';
import type { Webhook } from './webhook-store.ts';

/** The settings of a webhook for the audit; of its URL only where it leads, because the rest may be a secret. */
export function describeWebhook({ url, types, description }: Webhook) {
  return { origin: new URL(url).origin, types, description };
}

/** The settings that differ. The origin is among them if the URL differs anywhere, so that no change seems to be none. */
export function describeChange(before: Webhook, after: Webhook): ReturnType<typeof findDifference> {
  const [old, now] = [describeWebhook(before), describeWebhook(after)];
  const difference = findDifference(old, now);
  if (before.url === after.url) return difference;
  return {
    before: { ...difference.before, origin: old.origin },
    after: { ...difference.after, origin: now.origin },
  };
}
