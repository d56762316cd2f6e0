import { createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { verifyWebhook, WebhookVerificationError } from './verify-webhook.ts';

const nowSeconds = 1_900_000_000;
const now = () => nowSeconds * 1000;
const event = { type: 'drop.completed', timestamp: '2030-03-17T17:46:40.000Z', data: { drop_id: 'd' } };
const body = JSON.stringify(event);

const secretBytes = randomBytes(32);
const secret = `whsec_${secretBytes.toString('base64')}`;
const pair = generateKeyPairSync('ed25519');
const publicKey = `whpk_${Buffer.from(pair.publicKey.export({ format: 'jwk' }).x as string, 'base64url').toString('base64')}`;
const otherSecret = `whsec_${randomBytes(32).toString('base64')}`;

function signed(text: string | Buffer, { id = 'event-1', timestamp = String(nowSeconds) } = {}) {
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), Buffer.from(text)]);
  const v1 = `v1,${createHmac('sha256', secretBytes).update(content).digest('base64')}`;
  const v1a = `v1a,${sign(null, content, pair.privateKey).toString('base64')}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,bm9uZQ== v9,future ${v1} ${v1a}`,
  };
}

test.each([
  ['the secret', secret],
  ['the public key', publicKey],
  ['one of several keys', [otherSecret, publicKey]],
])('a request is accepted with %s', (_what, keys) => {
  expect(verifyWebhook({ headers: signed(body), body }, keys, { now })).toEqual({ ...event, id: 'event-1' });
});

test.each<[string, Parameters<typeof verifyWebhook>[0]['headers']]>([
  ['node:http', signed(body)],
  ['the Fetch API', new Headers(signed(body))],
  [
    'a proxy that writes names its own way',
    {
      'Webhook-Id': 'event-1',
      'WEBHOOK-TIMESTAMP': String(nowSeconds),
      'Webhook-Signature': signed(body)['webhook-signature'],
    },
  ],
])('accepts the headers of %s', (_whose, headers) => {
  expect(verifyWebhook({ headers, body: Buffer.from(body) }, secret, { now }).type).toBe('drop.completed');
});

describe('a request is refused', () => {
  const headers = signed(body);
  const [, , v1 = '', v1a = ''] = headers['webhook-signature'].split(' ');
  test.each<[string, object, string, string]>([
    ['its body was changed', {}, `${body} `, 'No signature'],
    ['its id was changed', { 'webhook-id': 'event-2' }, body, 'No signature'],
    ['its time was changed', { 'webhook-timestamp': String(nowSeconds + 1) }, body, 'No signature'],
    ['its time is no time', { 'webhook-timestamp': '1e9' }, body, 'not a time'],
    ['it has no signature', { 'webhook-signature': undefined }, body, 'The header webhook-signature is missing'],
    ['its signature is empty', { 'webhook-signature': 'v1, v1a,' }, body, 'No signature'],
    ['its signature is of another version', { 'webhook-signature': v1.replace('v1,', 'v1a,') }, body, 'No signature'],
    [
      'the other signature is of another version',
      { 'webhook-signature': v1a.replace('v1a,', 'v1,') },
      body,
      'No signature',
    ],
    ['its signature was cut off', { 'webhook-signature': v1.slice(0, -8) }, body, 'No signature'],
  ])('if %s', (_why, changed, text, message) => {
    const check = () =>
      verifyWebhook({ headers: { ...headers, ...changed }, body: text }, [secret, publicKey], { now });
    expect(check).toThrow(WebhookVerificationError);
    expect(check).toThrow(message);
  });

  test('if it is too old or from the future', () => {
    const check = (seconds: number, toleranceSeconds?: number) => () =>
      verifyWebhook({ headers, body }, secret, { now: () => (nowSeconds + seconds) * 1000, toleranceSeconds });
    expect(check(300)).not.toThrow();
    expect(check(-300)).not.toThrow();
    expect(check(301)).toThrow('differs too much');
    expect(check(-301)).toThrow('differs too much');
    expect(check(301, 600)).not.toThrow();
  });

  test('if it is signed but not JSON', () => {
    expect(() => verifyWebhook({ headers: signed('{'), body: '{' }, secret, { now })).toThrow('not JSON');
  });

  test('if it is signed with another secret, or if there is no key', () => {
    expect(() => verifyWebhook({ headers, body }, otherSecret, { now })).toThrow('No signature');
    expect(() => verifyWebhook({ headers, body }, [], { now })).toThrow('No signature');
  });
});

test.each(['', 'whsec_', secretBytes.toString('base64'), publicKey.slice(0, -8)])('%j is not a valid key', (key) => {
  expect(() => verifyWebhook({ headers: signed(body), body }, key, { now })).toThrow('begin with whsec_');
});

/** The test vector of https://github.com/standard-webhooks/standard-webhooks. */
test('the example of the standard is accepted', () => {
  const headers = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  };
  const request = { headers, body: '{"test": 2432232314}' };
  const found = verifyWebhook(request, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', { now: () => 1_614_265_330_000 });
  expect(found).toEqual({ id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', test: 2_432_232_314 });
});
