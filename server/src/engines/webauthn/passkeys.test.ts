import { randomBytes } from 'node:crypto';
import { fc, test as propertyTest } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { deterministicRandom } from '../../../test/random.ts';
import { type Deviation, encodeCbor, SoftwareAuthenticator } from '../../../test/software-authenticator.ts';
import type { PasskeyOutcome, PasskeySite } from '../../domain/ports/passkeys.ts';
import { toPasskeySite } from '../../domain/sign-in/passkey-values.ts';
import { webauthnPasskeys } from './passkeys.ts';

const passkeys = webauthnPasskeys();
const random = deterministicRandom('passkeys');
const site: PasskeySite = toPasskeySite('https://files.example.org', 'Acme Files');
const anna = { handle: random.bytes(32), email: 'anna@example.org', name: 'Anna Lindqvist' };
const bo = { handle: random.bytes(32), email: 'bo@example.org', name: 'Bo' };

function requireAccepted<Result>(outcome: PasskeyOutcome<Result>): Result {
  if (outcome.outcome === 'refused') throw new Error(`refused: ${outcome.reason}`);
  return outcome;
}

interface Settings {
  readonly owner?: typeof anna;
  readonly algorithm?: 'ES256' | 'EdDSA';
  readonly counts?: boolean;
}

/** A person with a passkey, and a way to sign in with it. */
async function register(settings: Settings = {}, deviation: Deviation = {}) {
  const owner = settings.owner ?? anna;
  const authenticator = new SoftwareAuthenticator({ origin: site.origin, ...settings });
  const { outcome, response } = await tryRegistration(authenticator, owner, deviation);
  const passkey = requireAccepted(outcome);
  return { owner, authenticator, passkey, response };
}

async function tryRegistration(authenticator: SoftwareAuthenticator, owner = anna, deviation: Deviation = {}) {
  const expected = { site, challenge: random.bytes(32) };
  const response = authenticator.register(await passkeys.makeRegistrationOptions(expected, owner, []), deviation);
  return { outcome: await passkeys.verifyRegistration(response, expected), response, expected };
}

type Registered = Awaited<ReturnType<typeof register>>;

async function beginSignIn({ owner, authenticator, passkey }: Registered, deviation: Deviation = {}) {
  const expected = { site, challenge: random.bytes(32), passkey, handle: owner.handle };
  return { expected, response: authenticator.signIn(await passkeys.makeSignInOptions(expected), deviation) };
}

async function trySignIn(registered: Registered, deviation: Deviation = {}) {
  const { expected, response } = await beginSignIn(registered, deviation);
  return await passkeys.verifySignIn(response, expected);
}

describe.each(['ES256', 'EdDSA'] as const)('a passkey of %s', (algorithm) => {
  test('is registered, and signs in again and again', async () => {
    const registered = await register({ algorithm });
    const { passkey, authenticator } = registered;
    expect(passkey).toEqual({
      outcome: 'accepted',
      credentialId: authenticator.credentialId,
      publicKey: expect.any(Buffer) as Buffer,
      counter: 1,
      transports: ['internal', 'hybrid'],
      isBackedUp: false,
    });
    for (const counter of [1, 2, 3]) {
      const outcome = await trySignIn({ ...registered, passkey: { ...passkey, counter } });
      expect(outcome).toEqual({
        outcome: 'accepted',
        counter: counter + 1,
        isBackedUp: false,
      });
    }
  });

  test('does not sign in with the signature of another one', async () => {
    const [registered, other] = [await register({ algorithm }), await register({ algorithm })];
    const { expected, response } = await beginSignIn(registered);
    const forged = other.authenticator.signIn(await passkeys.makeSignInOptions(expected));
    const { signature } = forged.response;
    const mixed = { ...response, response: { ...response.response, signature } };
    expect(await passkeys.verifySignIn(mixed, expected)).toEqual({ outcome: 'refused', reason: 'not_verified' });
  });
});

describe('the options', () => {
  const expected = { site, challenge: Buffer.alloc(32, 5) };

  test('of a registration ask for a discoverable passkey that verifies the person', async () => {
    const existing = { credentialId: Buffer.alloc(16, 9), transports: ['usb'] };
    const options = await passkeys.makeRegistrationOptions(expected, anna, [existing]);
    expect(options).toMatchObject({
      rp: { id: 'files.example.org', name: 'Acme Files' },
      user: { id: anna.handle.toString('base64url'), name: 'anna@example.org', displayName: 'Anna Lindqvist' },
      challenge: expected.challenge.toString('base64url'),
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      excludeCredentials: [
        { id: existing.credentialId.toString('base64url'), type: 'public-key', transports: ['usb'] },
      ],
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ alg, type: 'public-key' })),
    });
    expect(anna.handle).toHaveLength(32);
  });

  test('of a sign-in name no passkeys, so that they tell nothing about a person', async () => {
    const options = await passkeys.makeSignInOptions(expected);
    expect(options).toMatchObject({
      rpId: 'files.example.org',
      challenge: expected.challenge.toString('base64url'),
      userVerification: 'required',
    });
    expect(options['allowCredentials']).toBeUndefined();
  });

  test('are for the host of the public address, whatever its port', () => {
    const { id, origin } = toPasskeySite('https://files.example.org:8443/', 'Acme');
    expect([id, origin]).toEqual(['files.example.org', 'https://files.example.org:8443']);
  });
});

/** Responses of a phishing site, a stolen device or a broken browser. */
const forgeries: [string, Deviation][] = [
  ['of another origin', { origin: 'https://files.example.com' }],
  ['of a subdomain', { origin: 'https://evil.files.example.org' }],
  ['of the origin without encryption', { origin: 'http://files.example.org' }],
  ['of the origin on another port', { origin: 'https://files.example.org:8443' }],
  ['for another site', { rpId: 'example.com' }],
  ['for the parent domain', { rpId: 'example.org' }],
  ['to another challenge', { challenge: randomBytes(32).toString('base64url') }],
  ['to no challenge', { challenge: '' }],
  ['without the presence of a person', { isPresent: false }],
  ['without verification of the person', { isVerified: false }],
  ['in a frame of another site', { crossOrigin: true }],
  ['in a frame of another site, by name', { crossOrigin: true, topOrigin: 'https://evil.example' }],
  ['with the name of a frame only', { topOrigin: 'https://evil.example' }],
  ['that is backed up without being eligible', { isBackedUp: true, isBackupEligible: false }],
];

describe('a registration is refused', () => {
  test.each([...forgeries, ['that is a sign-in', { type: 'webauthn.get' }]] as [string, Deviation][])(
    'if it is a response %s',
    async (_, deviation) => {
      const { outcome } = await tryRegistration(new SoftwareAuthenticator({ origin: site.origin }), anna, deviation);
      expect(outcome).toEqual({ outcome: 'refused', reason: 'not_verified' });
    },
  );

  test('for a challenge that was given to somebody else', async () => {
    const { response } = await register();
    const other = { site, challenge: random.bytes(32) };
    expect(await passkeys.verifyRegistration(response, other)).toMatchObject({ outcome: 'refused' });
  });

  test('if its id is not the one that the authenticator made', async () => {
    const { response, expected } = await tryRegistration(new SoftwareAuthenticator({ origin: site.origin }));
    const id = randomBytes(32).toString('base64url');
    const renamed = { ...response, id, rawId: id };
    expect(await passkeys.verifyRegistration(renamed, expected)).toEqual({
      outcome: 'refused',
      reason: 'wrong_credential',
    });
  });

  test('if its key has an algorithm that was not offered', async () => {
    const { response, expected } = await tryRegistration(new SoftwareAuthenticator({ origin: site.origin }));
    const bytes = Buffer.from(response.response.attestationObject, 'base64url');
    // The key begins with its type (1: 2) and its algorithm (3: -7).
    const at = bytes.indexOf(Buffer.from('a5010203', 'hex'));
    expect(at).toBeGreaterThan(0);
    bytes[at + 4] = 0x22;
    const altered = { ...response.response, attestationObject: bytes.toString('base64url') };
    expect(await passkeys.verifyRegistration({ ...response, response: altered }, expected)).toEqual({
      outcome: 'refused',
      reason: 'not_verified',
    });
  });
});

test('an attestation that nobody asked for is not looked at', async () => {
  const statement = new Map([['x5c', 'not even a certificate']]);
  const { passkey } = await register({}, { attestation: { format: 'packed', statement } });
  expect(passkey.counter).toBe(1);
  await register({}, { attestation: { format: 'tpm', statement: new Map() } });
});

describe('a sign-in is refused', () => {
  test.each([...forgeries, ['that is a registration', { type: 'webauthn.create' }]] as [string, Deviation][])(
    'if it is a response %s',
    async (_, deviation) => {
      expect(await trySignIn(await register(), deviation)).toEqual({ outcome: 'refused', reason: 'not_verified' });
    },
  );

  test('if it is a response to an earlier challenge', async () => {
    const registered = await register();
    const [earlier, later] = [await beginSignIn(registered), await beginSignIn(registered)];
    expect(await passkeys.verifySignIn(earlier.response, later.expected)).toMatchObject({ outcome: 'refused' });
    expect(await passkeys.verifySignIn(earlier.response, earlier.expected)).toMatchObject({ outcome: 'accepted' });
  });

  test('with the passkey of another person', async () => {
    const [ofAnna, ofBo] = [await register(), await register({ owner: bo })];
    const refused = { outcome: 'refused', reason: 'wrong_credential' };
    // Bo's passkey, looked up as Bo's, with Anna as the person to sign in.
    expect(await trySignIn({ ...ofBo, owner: anna })).toEqual(refused);
    // Bo's response against Anna's stored passkey.
    expect(await trySignIn({ ...ofBo, passkey: ofAnna.passkey })).toEqual(refused);
    // Bo's response that claims to be Anna's.
    expect(await trySignIn(ofBo, { userHandle: anna.handle })).toEqual(refused);
    const { response, expected } = await beginSignIn(ofAnna);
    const { response: own } = ofBo.authenticator.signIn(await passkeys.makeSignInOptions(expected), {
      userHandle: anna.handle,
    });
    expect(await passkeys.verifySignIn({ ...response, response: own }, expected)).toMatchObject({
      outcome: 'refused',
      reason: 'not_verified',
    });
  });

  test('if its counter went back or stood still', async () => {
    const registered = await register();
    const used = { ...registered, passkey: { ...registered.passkey, counter: 10 } };
    const refused = { outcome: 'refused', reason: 'counter_went_back' };
    for (const counter of [0, 9, 10]) expect(await trySignIn(used, { counter })).toEqual(refused);
    expect(await trySignIn(used, { counter: 11 })).toMatchObject({ outcome: 'accepted', counter: 11 });
    const max = 0xff_ff_ff_ff;
    expect(await trySignIn(used, { counter: max })).toMatchObject({ outcome: 'accepted', counter: max });
  });

  test('without naming the counter if the signature is wrong', async () => {
    const registered = await register();
    const { expected, response } = await beginSignIn(registered, { counter: 0 });
    const signature = randomBytes(64).toString('base64url');
    const forged = { ...response, response: { ...response.response, signature } };
    expect(await passkeys.verifySignIn(forged, expected)).toEqual({ outcome: 'refused', reason: 'not_verified' });
  });
});

test('an authenticator that does not count signs in', async () => {
  const registered = await register({ counts: false });
  for (let use = 0; use < 3; use += 1) {
    expect(await trySignIn(registered)).toMatchObject({ outcome: 'accepted', counter: 0 });
  }
  expect(await trySignIn(registered, { counter: 1 })).toMatchObject({ outcome: 'accepted', counter: 1 });
});

test('a passkey that is copied to other devices says so', async () => {
  const registered = await register({}, { isBackupEligible: true });
  expect(registered.passkey).toMatchObject({ isBackedUp: false });
  const backedUp = await trySignIn(registered, { isBackupEligible: true, isBackedUp: true });
  expect(backedUp).toMatchObject({ outcome: 'accepted', isBackedUp: true });
});

describe('malformed responses', () => {
  const malformed = { outcome: 'refused', reason: 'malformed' };
  const long = (bytes: number) => Buffer.alloc(bytes, 1).toString('base64url');
  const judgeBoth = async (response: unknown) => {
    const registered = await register();
    const expected = { site, challenge: randomBytes(32), passkey: registered.passkey, handle: anna.handle };
    return [await passkeys.verifyRegistration(response, expected), await passkeys.verifySignIn(response, expected)];
  };

  test.each([undefined, null, 0, '', 'text', [], {}, { id: 1 }, { response: null }, { __proto__: null }])(
    'without a credential are refused: %j',
    async (response) => {
      expect(await judgeBoth(response)).toEqual([malformed, malformed]);
      expect(passkeys.readCredentialId(response)).toBeUndefined();
    },
  );

  test('of a registration have bounds in every field', async () => {
    const { response, expected } = await tryRegistration(new SoftwareAuthenticator({ origin: site.origin }));
    const changes: object[] = [
      { id: long(1024), rawId: long(1024) },
      { id: long(15), rawId: long(15) },
      { id: `${response.id}=`, rawId: `${response.id}=` },
      { id: 'ä'.repeat(40) },
      { type: 'password' },
      { type: undefined },
      { response: { ...response.response, clientDataJSON: long(4097) } },
      { response: { ...response.response, attestationObject: long(16_385) } },
      { response: { ...response.response, attestationObject: '' } },
      { response: { ...response.response, attestationObject: ['a'] } },
      { response: { ...response.response, transports: Array.from({ length: 11 }, () => 'usb') } },
      { response: { ...response.response, transports: ['<script>'] } },
      { response: { ...response.response, transports: 'usb' } },
    ];
    for (const change of changes) {
      expect(await passkeys.verifyRegistration({ ...response, ...change }, expected)).toEqual(malformed);
    }
    const { transports: _, ...without } = response.response;
    const outcome = await passkeys.verifyRegistration({ ...response, response: without, further: 1 }, expected);
    expect(outcome).toMatchObject({ outcome: 'accepted', transports: [] });
  });

  test('of a sign-in have bounds in every field', async () => {
    const { response, expected } = await beginSignIn(await register());
    const { userHandle: _, ...anonymous } = response.response;
    const changes: object[] = [
      { id: long(1024), rawId: long(1024) },
      { type: 'password' },
      { response: anonymous },
      { response: { ...response.response, userHandle: null } },
      { response: { ...response.response, userHandle: long(65) } },
      { response: { ...response.response, authenticatorData: long(4097) } },
      { response: { ...response.response, clientDataJSON: long(4097) } },
      { response: { ...response.response, signature: long(1025) } },
      { response: { ...response.response, signature: `${response.response.signature}==` } },
    ];
    for (const change of changes) {
      const changed = { ...response, ...change };
      expect(await passkeys.verifySignIn(changed, expected)).toEqual(malformed);
      expect(passkeys.readCredentialId(changed)).toBeUndefined();
    }
    expect(passkeys.readCredentialId(response)).toEqual(expected.passkey.credentialId);
  });

  test('with bits after the end of an id are refused, though its bytes are the same', async () => {
    const { response, expected } = await beginSignIn(await register());
    const last = response.id.at(-1) as string;
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const id = `${response.id.slice(0, -1)}${alphabet.charAt(alphabet.indexOf(last) + 1)}`;
    expect(Buffer.from(id, 'base64url')).toEqual(expected.passkey.credentialId);
    expect(await passkeys.verifySignIn({ ...response, id, rawId: id }, expected)).toEqual(malformed);
  });

  test('with another raw id are refused', async () => {
    const { response, expected } = await beginSignIn(await register());
    const rawId = randomBytes(32).toString('base64url');
    expect(await passkeys.verifySignIn({ ...response, rawId }, expected)).toMatchObject({ outcome: 'refused' });
  });

  const garbage: [string, Buffer][] = [
    ['nothing of CBOR', Buffer.from('not cbor at all')],
    ['8000 nested arrays', Buffer.alloc(8000, 0x81)],
    ['8000 nested maps', Buffer.alloc(8000, 0xa1)],
    ['a length of 2^64', Buffer.from('5bffffffffffffffff', 'hex')],
    ['an array of 2^32 entries', Buffer.from('9affffffff', 'hex')],
    ['a map of 2^32 entries', Buffer.from('baffffffff', 'hex')],
    ['a map without an end', Buffer.from('bf', 'hex')],
    ['a number', Buffer.from('01', 'hex')],
    ['null', Buffer.from('f6', 'hex')],
    ['an empty map', Buffer.from('a0', 'hex')],
    ['no authenticator data', encodeCbor(new Map([['fmt', 'none']]))],
    ['authenticator data that is a number', encodeCbor(new Map<string, string | number>([['authData', 1]]))],
    ['authenticator data that is a text', encodeCbor(new Map([['authData', 'x'.repeat(200)]]))],
    ['authenticator data that is short', encodeCbor(new Map([['authData', Buffer.alloc(36)]]))],
    ['authenticator data without a credential', encodeCbor(new Map([['authData', Buffer.alloc(37, 0x05)]]))],
    ['a credential whose length is beyond the end', encodeCbor(new Map([['authData', Buffer.alloc(60, 0xff)]]))],
  ];
  test.each(garbage)('whose attestation is %s are refused', async (_, bytes) => {
    const { response, expected } = await tryRegistration(new SoftwareAuthenticator({ origin: site.origin }));
    const altered = { ...response.response, attestationObject: bytes.toString('base64url') };
    expect(await passkeys.verifyRegistration({ ...response, response: altered }, expected)).toEqual({
      outcome: 'refused',
      reason: 'not_verified',
    });
  });

  test.each(['', 'null', '1', '"text"', '[]', '{}', '{"type":{}}', '{'.repeat(2000), '['.repeat(3000)])(
    'whose client data is %j are refused',
    async (text) => {
      const clientDataJSON = Buffer.from(text).toString('base64url');
      const { response, expected } = await beginSignIn(await register());
      const altered = { ...response, response: { ...response.response, clientDataJSON } };
      expect(await passkeys.verifySignIn(altered, expected)).toMatchObject({ outcome: 'refused' });
    },
  );
});

describe('mutated responses', async () => {
  const registered = { ES256: await register({ algorithm: 'ES256' }), EdDSA: await register({ algorithm: 'EdDSA' }) };
  const mutation = fc.oneof(
    fc.record({ kind: fc.constant('flip' as const), at: fc.nat(), by: fc.integer({ min: 1, max: 255 }) }),
    fc.record({ kind: fc.constant('cut' as const), at: fc.nat() }),
    fc.record({ kind: fc.constant('insert' as const), at: fc.nat(), byte: fc.nat(255) }),
    fc.record({ kind: fc.constant('replace' as const), bytes: fc.uint8Array({ maxLength: 200 }) }),
  );
  type Mutation = typeof mutation extends fc.Arbitrary<infer Value> ? Value : never;

  const mutate = (text: string, change: Mutation): string => {
    const bytes = Buffer.from(text, 'base64url');
    if (change.kind === 'replace') return Buffer.from(change.bytes).toString('base64url');
    const at = change.at % bytes.length;
    if (change.kind === 'flip') bytes.writeUInt8(bytes.readUInt8(at) ^ change.by, at);
    if (change.kind === 'cut') return bytes.subarray(0, at).toString('base64url');
    if (change.kind === 'flip') return bytes.toString('base64url');
    return Buffer.concat([bytes.subarray(0, at), Buffer.from([change.byte]), bytes.subarray(at)]).toString('base64url');
  };

  /** The library reads the two numbers of a signature, whatever tags and lengths are around them: it is the same signature. */
  const hasSameNumbers = (signature: string, altered: string): boolean => {
    const bytes = Buffer.from(signature, 'base64url');
    const end = 4 + bytes.readUInt8(3);
    const numbers = [bytes.subarray(4, end), bytes.subarray(end + 2)];
    return numbers.every((number) => Buffer.from(altered, 'base64url').includes(number));
  };

  const signInFields = fc.constantFrom('clientDataJSON', 'authenticatorData', 'signature', 'userHandle');
  propertyTest.prop([fc.constantFrom('ES256', 'EdDSA'), signInFields, mutation], { numRuns: 300 })(
    'never sign in',
    async (algorithm, field, change) => {
      const { expected, response } = await beginSignIn(registered[algorithm]);
      const altered = mutate(response.response[field], change);
      fc.pre(altered !== response.response[field]);
      fc.pre(!(algorithm === 'ES256' && field === 'signature' && hasSameNumbers(response.response.signature, altered)));
      const outcome = await passkeys.verifySignIn(
        { ...response, response: { ...response.response, [field]: altered } },
        expected,
      );
      expect(outcome.outcome).toBe('refused');
      expect(await passkeys.verifySignIn(response, expected)).toMatchObject({ outcome: 'accepted' });
    },
  );

  propertyTest.prop([fc.jsonValue({ maxDepth: 4 }), signInFields], { numRuns: 100 })(
    'of any shape never sign in',
    async (value, field) => {
      const { expected, response } = await beginSignIn(registered.ES256);
      const altered = { ...response, response: { ...response.response, [field]: value } };
      for (const each of [value, altered, { ...response, response: value }, { ...response, id: value }]) {
        expect(await passkeys.verifySignIn(each, expected)).toMatchObject({ outcome: 'refused' });
      }
    },
  );

  // Nothing but the client's data is protected at registration: without attestation, nobody signs the rest.
  propertyTest.prop([mutation], { numRuns: 300 })(
    'register no more than one passkey, of the id that they name, by a verified person',
    async (change) => {
      const { response, expected } = await tryRegistration(new SoftwareAuthenticator({ origin: site.origin }));
      const attestationObject = mutate(response.response.attestationObject, change);
      const altered = { ...response, response: { ...response.response, attestationObject } };
      const outcome = await passkeys.verifyRegistration(altered, expected);
      if (outcome.outcome === 'refused') return;
      expect(outcome.credentialId.toString('base64url')).toBe(response.id);
      expect(outcome.publicKey.length).toBeLessThanOrEqual(1024);
    },
  );

  propertyTest.prop([mutation], { numRuns: 100 })('with other client data never register', async (change) => {
    const { response, expected } = await tryRegistration(new SoftwareAuthenticator({ origin: site.origin }));
    const clientDataJSON = mutate(response.response.clientDataJSON, change);
    const { type, challenge, origin } = readJson(clientDataJSON);
    const isSame =
      type === 'webauthn.create' && challenge === expected.challenge.toString('base64url') && origin === site.origin;
    const altered = { ...response, response: { ...response.response, clientDataJSON } };
    const { outcome } = await passkeys.verifyRegistration(altered, expected);
    if (!isSame) expect(outcome).toBe('refused');
  });
});

function readJson(encoded: string): { type?: unknown; challenge?: unknown; origin?: unknown } {
  try {
    return (JSON.parse(Buffer.from(encoded, 'base64url').toString()) ?? {}) as object;
  } catch {
    return {};
  }
}
