import type { Webhook } from './webhook-store.ts';

/** The settings of a webhook for the audit; of its URL only where it leads, because the rest may be a secret. */
export function describeWebhook({ url, types, description }: Webhook) {
  return { origin: new URL(url).origin, types, description };
}
