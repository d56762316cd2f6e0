// Time stamps of a real authority, `openssl ts`: accepted and refused as OpenSSL does, and never believed once they are changed.
import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { parseCheckpoint } from './checkpoint.ts';
import { describeVerdict } from './describe-verdict.ts';
import { parsePolicy } from './policy.ts';
import { formatReceipt, type Receipt } from './receipt.ts';
import { createRandom, mutateBytes } from './testing/mutations.ts';
import { type AuthorityOptions, createAuthority, stampExtensions } from './testing/openssl-authority.ts';
import { createTestLog, listSampleEvents, testDrop } from './testing/test-log.ts';
import { proveConsistency } from './tiles.ts';
import { formatTimeStampRequest, readTimeStampResponse, readTimeStampSignature, TimeStampError } from './time-stamp.ts';
import { verifyReceipt } from './verify-receipt.ts';
import { parseAuthorities, verifyTimeStamp } from './verify-time-stamp.ts';

const isFullSize = process.env['WAYBILL_FULL_SIZE'] === '1';
const mutationCount = isFullSize ? 100_000 : 10_000;

const text = 'files.example.org/log/1\n5\nK20qzAs/vrEe8plKuYXQ5405LSWaIsWVdYmyjLi0P70=\n';
const removals: (() => void)[] = [];
afterAll(() => {
  for (const remove of removals) remove();
});

function makeAuthority(options?: AuthorityOptions) {
  const authority = createAuthority(options);
  removals.push(authority.remove);
  const stamp = (stamped: string) => {
    const nonce = randomBytes(16);
    return readTimeStampResponse(authority.respond(formatTimeStampRequest(stamped, nonce)), stamped, nonce);
  };
  return { ...authority, stamp, authorities: parseAuthorities(authority.certificate) };
}

const authority = makeAuthority();
const other = makeAuthority({ name: 'Other' });
const token = authority.stamp(text);

const findReason = (stamped: Uint8Array, about = text, trusted = authority.authorities) =>
  verifyTimeStamp(stamped, about, trusted).then(
    () => 'accepted',
    (error: Error) => {
      if (!(error instanceof TimeStampError)) throw error;
      return error.message;
    },
  );

test.each<[string, AuthorityOptions]>([
  ['ECDSA P-256', {}],
  ['ECDSA P-384 with SHA-512', { key: ['EC', '-pkeyopt', 'ec_paramgen_curve:P-384'], digest: 'sha512' }],
  ['RSA', { key: ['RSA', '-pkeyopt', 'rsa_keygen_bits:2048'], digest: 'sha384' }],
  ['a certificate that is named by its SHA-1', { certificateDigest: 'sha1' }],
  ['an authority in between', { intermediate: 'basicConstraints=critical,CA:TRUE,pathlen:0\n' }],
])('a time stamp is accepted here and by OpenSSL: %s', async (_name, options) => {
  const one = makeAuthority(options);
  const stamped = one.stamp(text);
  expect(one.accepts(text, stamped)).toBe(true);
  const { at, authority: name } = await verifyTimeStamp(stamped, text, one.authorities);
  expect(name).toBe(one.signerName);
  expect(Math.abs(Date.parse(at) - Date.now())).toBeLessThan(60_000);
  // The certificate of the authority itself is enough.
  await verifyTimeStamp(stamped, text, parseAuthorities(one.signerCertificate));
});

test('a time stamp is refused that is for something else, of somebody else, or not in force', async () => {
  expect(await findReason(token, `${text} `)).toBe('The time stamp is for something else');
  expect(authority.accepts(`${text} `, token)).toBe(false);
  expect(await findReason(other.stamp(text))).toContain('signed by Clock of Other, Other, which no given certificate');
  expect(await findReason(token.subarray(0, -1))).toContain('cannot be read');
  expect(await findReason(new Uint8Array())).toContain('cannot be read');
  const between = makeAuthority({ intermediate: 'basicConstraints=critical,CA:FALSE\n' });
  const stamped = between.stamp(text);
  expect(between.accepts(text, stamped)).toBe(false);
  expect(await findReason(stamped, text, between.authorities)).toContain('which no given certificate leads to');
});

test.each([
  ['for time stamps alone', true, stampExtensions],
  ['without a purpose', false, 'keyUsage=critical,digitalSignature\n'],
  ['for time stamps, but not critical', false, 'extendedKeyUsage=timeStamping\n'],
  ['for something else, too', false, 'extendedKeyUsage=critical,timeStamping,emailProtection\n'],
  ['for the agreement of keys', false, 'keyUsage=critical,keyAgreement\nextendedKeyUsage=critical,timeStamping\n'],
  ['with a rule that nobody knows', false, `${stampExtensions}1.2.3.4=critical,ASN1:NULL\n`],
])('OpenSSL and this verifier agree about a certificate %s', async (_name, isAccepted, extensions) => {
  const one = makeAuthority({ extensions });
  const stamped = one.sign(readTimeStampSignature(authority.stamp(text)).content);
  expect(one.accepts(text, stamped)).toBe(isAccepted);
  expect((await findReason(stamped, text, one.authorities)) === 'accepted').toBe(isAccepted);
});

test('a time stamp is refused whose certificate had expired', async () => {
  const content = Buffer.from(readTimeStampSignature(token).content);
  const year = content.indexOf(`${new Date().getFullYear()}`);
  content.write('2090', year);
  expect(await findReason(authority.sign(content))).toContain('or which was not valid at 2090-');
});

test('a response is refused that is not the one to the request', () => {
  const nonce = randomBytes(16);
  const response = authority.respond(formatTimeStampRequest(text, nonce));
  expect(() => readTimeStampResponse(response, text, randomBytes(16))).toThrow('a response to another request');
  expect(() => readTimeStampResponse(response, `${text}x`, nonce)).toThrow('for something else');
  expect(() => readTimeStampResponse(Buffer.from('<html>'), text, nonce)).toThrow('not one of RFC 3161');
  // A request that the authority does not understand gets a response with a status.
  expect(() => readTimeStampResponse(authority.respond(Buffer.from('nothing')), text, nonce)).toThrow(
    /The authority refused the request \(status 2\): /,
  );
});

test('a changed time stamp is refused, or still says the same', async () => {
  const random = createRandom(isFullSize ? Date.now() % 2 ** 31 : 1);
  const original = await verifyTimeStamp(token, text, authority.authorities);
  let accepted = 0;
  for (let count = 0; count < mutationCount; count++) {
    const changed = mutateBytes(token, random);
    try {
      expect(await verifyTimeStamp(changed, text, authority.authorities)).toEqual(original);
      accepted++;
    } catch (error) {
      if (!(error instanceof TimeStampError)) throw error;
    }
  }
  // Some bytes are not signed, such as those of certificates that the chain does not need.
  expect(accepted / mutationCount).toBeLessThan(0.2);
  expect(accepted).toBeGreaterThan(0);
});

describe('a receipt', () => {
  const log = createTestLog();
  const states: { size: number; root: Uint8Array }[] = [];

  async function makeReceipt(stamp = authority.stamp): Promise<Receipt> {
    if (log.readSize() === 0) {
      for (const event of listSampleEvents()) {
        log.append(event);
        const note = await log.signCheckpoint();
        states.push(parseCheckpoint(note.slice(0, note.indexOf('\n\n') + 1)) ?? { size: 0, root: new Uint8Array() });
      }
    }
    const stampedStates = [states[2], states.at(-1)].filter((state) => state !== undefined);
    return {
      type: 'waybill-receipt@v1',
      drop: testDrop,
      receiver: 0,
      issued_at: '2026-11-18T10:00:00.000Z',
      checkpoints: [await log.signCheckpoint()],
      entries: await log.proveEntries(testDrop, 0),
      time_stamps: await Promise.all(
        stampedStates.map(async ({ size, root }) => ({
          checkpoint: 0,
          proof: (await proveConsistency(log.readTile, size, log.readSize())).map((hash) =>
            Buffer.from(hash).toString('base64'),
          ),
          root: Buffer.from(root).toString('base64'),
          size,
          token: Buffer.from(stamp(`${log.origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`)).toString(
            'base64',
          ),
        })),
      ),
    };
  }
  const policy = parsePolicy(log.policy);
  const { authorities } = authority;
  const verify = (receipt: Receipt, trusted?: typeof authorities) =>
    verifyReceipt(formatReceipt(receipt), policy, { authorities: trusted });

  test('says since when its events were in the log, if the authority is known', async () => {
    const receipt = await makeReceipt();
    const verdict = await verify(receipt, authorities);
    expect(verdict.problems).toEqual([]);
    const [first, last] = verdict.facts?.timeStamps ?? [];
    const count = receipt.entries.length;
    expect(first).toMatchObject({ size: 3, authority: authority.signerName, eventCount: 2 });
    expect(last).toMatchObject({ size: states.length, eventCount: count });
    expect(describeVerdict(verdict)).toContain(
      `The log ${log.origin} had the first 2 of these ${count} events before ${first?.at}, according to ${authority.signerName}.`,
    );
    expect(describeVerdict(verdict)).toContain(
      `The log ${log.origin} had the first ${count} of these ${count} events before ${last?.at}, according to ${authority.signerName}.`,
    );
  });

  test('says that nobody checked the time, if the authority is not known', async () => {
    const verdict = await verify(await makeReceipt());
    expect(verdict.isValid).toBe(true);
    expect(verdict.facts?.timeStamps.map(({ authority: name }) => name)).toEqual([undefined, undefined]);
    expect(describeVerdict(verdict).filter((line) => line.startsWith('Not checked: a time stamp'))).toHaveLength(2);
  });

  test('is not valid with a time stamp of somebody else, of another state, or of another log', async () => {
    const receipt = await makeReceipt();
    const findMessage = async (changed: Receipt, trusted?: typeof authorities) => {
      const { isValid, problems } = await verify(changed, trusted);
      expect(isValid).toBe(false);
      expect(problems.map(({ code }) => code)).toContain('bad_time_stamp');
      return problems.map(({ message }) => message).join(' ');
    };
    const [first, last] = receipt.time_stamps ?? [];
    if (!first || !last) throw new Error('the receipt has no time stamps');
    const change = (...stamps: Receipt['time_stamps'] & object) => ({ ...receipt, time_stamps: stamps });
    expect(await findMessage(await makeReceipt(other.stamp), authorities)).toContain('signed by Clock of Other');
    expect(await findMessage(change({ ...first, token: last.token }))).toContain('is for something else');
    expect(await findMessage(change(last, first))).toContain('repeated or out of order');
    expect(await findMessage(change(first, first))).toContain('repeated or out of order');
    expect(await findMessage(change({ ...first, checkpoint: 1 }))).toContain('it has no checkpoint');
    expect(await findMessage(change({ ...first, token: '' }))).toContain('cannot be read');
    // A state that the authority stamped, but that this log never had.
    const root = Buffer.alloc(32, 7).toString('base64');
    const forged = Buffer.from(authority.stamp(`${log.origin}\n3\n${root}\n`)).toString('base64');
    expect(await findMessage(change({ ...first, root, token: forged }))).toContain(
      'does not begin with what was stamped',
    );
    // A state before the first event of the receipt.
    const [start] = states;
    if (!start) throw new Error('the log has no first state');
    const startRoot = Buffer.from(start.root).toString('base64');
    const early = {
      checkpoint: 0,
      proof: (await proveConsistency(log.readTile, 1, log.readSize())).map((hash) =>
        Buffer.from(hash).toString('base64'),
      ),
      root: startRoot,
      size: 1,
      token: Buffer.from(authority.stamp(`${log.origin}\n1\n${startRoot}\n`)).toString('base64'),
    };
    expect(await findMessage(change(early))).toContain('it covers no event');
  });

  test('is doubtful if an event claims a later time than its time stamp', async () => {
    const later = createTestLog({ witnesses: [] });
    for (const event of listSampleEvents()) later.append({ ...event, at: '2099-01-01T00:00:00.000Z' });
    const note = await later.signCheckpoint();
    const stamped = note.slice(0, note.indexOf('\n\n') + 1);
    const receipt: Receipt = {
      ...(await makeReceipt()),
      checkpoints: [note],
      entries: await later.proveEntries(testDrop, 0),
      time_stamps: [
        {
          checkpoint: 0,
          proof: [],
          root: stamped.split('\n')[2] ?? '',
          size: later.readSize(),
          token: Buffer.from(authority.stamp(stamped)).toString('base64'),
        },
      ],
    };
    const { facts } = await verifyReceipt(formatReceipt(receipt), parsePolicy(later.policy), { authorities });
    expect(new Set(facts?.remarks.map(({ code }) => code))).toEqual(new Set(['clock_ahead']));
    expect(facts?.unknowns).not.toContain('time');
  });
});
