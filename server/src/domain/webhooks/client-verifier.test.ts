// The client's verifier accepts what this server signs, and what the reference implementation signs.
import { randomBytes, randomUUID } from 'node:crypto';
import { fc, test } from '@fast-check/vitest';
import { Webhook } from 'standardwebhooks';
import { expect } from 'vitest';
import { verifyWebhook } from '../../../../client/src/verify-webhook.ts';
import { type SecretSource, saltBytes, WebhookSecrets } from './webhook-secrets.ts';

const secrets = new WebhookSecrets(randomBytes(32));
const newSource = (): SecretSource => ({
  accountId: randomUUID(),
  webhookId: randomUUID(),
  salt: randomBytes(saltBytes),
});

test.prop([fc.jsonValue()])('what the server signs is accepted, also while the secret is being replaced', (data) => {
  const [current, previous, other] = [newSource(), newSource(), newSource()];
  const id = randomUUID();
  const body = JSON.stringify({ type: 'drop.created', data });
  const request = { headers: secrets.headersFor({ id, sentAt: new Date(), body }, [current, previous]), body };
  for (const source of [current, previous]) {
    for (const key of [secrets.deriveSecret(source), secrets.derivePublicKey(source)]) {
      expect(verifyWebhook(request, key)).toEqual({ ...(JSON.parse(body) as object), id });
    }
  }
  const strange = [secrets.deriveSecret(other), secrets.derivePublicKey(other)];
  expect(() => verifyWebhook(request, strange)).toThrow('No signature');
});

test.prop([fc.jsonValue()])('what the reference implementation signs is accepted', (data) => {
  const secret = secrets.deriveSecret(newSource());
  const sentAt = new Date();
  const body = JSON.stringify({ data });
  const headers = {
    'webhook-id': 'message',
    'webhook-timestamp': String(Math.floor(sentAt.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('message', sentAt, body),
  };
  expect(verifyWebhook({ headers, body }, secret)).toEqual({ ...(JSON.parse(body) as object), id: 'message' });
});
