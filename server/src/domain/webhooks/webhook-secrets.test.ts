import { createPublicKey, randomBytes, randomUUID, verify } from 'node:crypto';
import { fc, test } from '@fast-check/vitest';
import { Webhook } from 'standardwebhooks';
import { describe, expect } from 'vitest';
import { type SecretSource, saltBytes, WebhookSecrets } from './webhook-secrets.ts';

const secrets = new WebhookSecrets(randomBytes(32));
const newSource = (): SecretSource => ({
  accountId: randomUUID(),
  webhookId: randomUUID(),
  salt: randomBytes(saltBytes),
});
const message = (body: string) => ({ id: randomUUID(), sentAt: new Date(), body });

/** Whether one of the signatures of version 1a is by this key. */
function isSignedBy(publicKey: string, headers: Record<string, string>, body: string): boolean {
  const x = Buffer.from(publicKey.replace(/^whpk_/, ''), 'base64').toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const content = Buffer.from(`${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`);
  return (headers['webhook-signature'] as string)
    .split(' ')
    .filter((signature) => signature.startsWith('v1a,'))
    .some((signature) => verify(null, content, key, Buffer.from(signature.slice(4), 'base64')));
}

describe('signatures', () => {
  test.prop([fc.jsonValue()])('are accepted by the reference implementation and by Ed25519', (data) => {
    const source = newSource();
    const body = JSON.stringify({ type: 'drop.created', data });
    const headers = secrets.headersFor(message(body), [source]);
    expect(new Webhook(secrets.deriveSecret(source)).verify(body, headers)).toEqual(JSON.parse(body));
    expect(isSignedBy(secrets.derivePublicKey(source), headers, body)).toBe(true);
  });

  test('cover the body, the id and the time', () => {
    const source = newSource();
    const body = '{"type":"drop.created"}';
    const headers = secrets.headersFor(message(body), [source]);
    const webhook = new Webhook(secrets.deriveSecret(source));
    const earlier = String(Number(headers['webhook-timestamp']) - 1);
    for (const [changedHeaders, changedBody] of [
      [headers, `${body} `],
      [{ ...headers, 'webhook-id': randomUUID() }, body],
      [{ ...headers, 'webhook-timestamp': earlier }, body],
    ] as const) {
      expect(() => webhook.verify(changedBody, changedHeaders)).toThrow();
      expect(isSignedBy(secrets.derivePublicKey(source), changedHeaders, changedBody)).toBe(false);
    }
  });

  test('are by both secrets while one is being replaced', () => {
    const [current, previous, other] = [newSource(), newSource(), newSource()];
    const body = '{}';
    const headers = secrets.headersFor(message(body), [current, previous]);
    for (const source of [current, previous]) {
      expect(new Webhook(secrets.deriveSecret(source)).verify(body, headers)).toEqual({});
      expect(isSignedBy(secrets.derivePublicKey(source), headers, body)).toBe(true);
    }
    expect(() => new Webhook(secrets.deriveSecret(other)).verify(body, headers)).toThrow();
    expect(isSignedBy(secrets.derivePublicKey(other), headers, body)).toBe(false);
  });
});

test('secrets differ by account, endpoint, salt and pepper, and are otherwise the same', () => {
  const source = newSource();
  const others = [
    { ...source, accountId: randomUUID() },
    { ...source, webhookId: randomUUID() },
    { ...source, salt: randomBytes(saltBytes) },
  ].map((changed) => secrets.deriveSecret(changed));
  const all = [secrets.deriveSecret(source), ...others, new WebhookSecrets(randomBytes(32)).deriveSecret(source)];
  expect(new Set(all).size).toBe(5);
  expect(secrets.deriveSecret(source)).toBe(all[0]);
  expect(Buffer.from((all[0] as string).replace(/^whsec_/, ''), 'base64')).toHaveLength(32);
});
