import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fakeTerminal, withUserInput } from '../../testing/fake-terminal.ts';
import { WireServer } from '../../testing/wire-server.ts';
import { run } from '../run.ts';

const example = (name: string) => new URL(`../../../../docs/examples/${name}`, import.meta.url).pathname;
const receipt = example('receipt.json');
const policy = example('receipt-policy.txt');
const [, key = ''] = /^log (\S+)$/m.exec(readFileSync(policy, 'utf8')) ?? [];
const never = new AbortController().signal;
let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'client-verify-'));
});
afterEach(() => rmSync(home, { recursive: true }));

async function verify(...words: string[]) {
  const terminal = fakeTerminal(home);
  const exit = await run(terminal, words, never, '1');
  return { exit, printed: terminal.output.text, errors: terminal.errors.text };
}

test('says first whether a receipt is proven, and in the end what is not known', async () => {
  const { exit, printed } = await verify('verify', receipt, '--policy', policy);
  expect(exit).toBe(0);
  const lines = printed.trimEnd().split('\n');
  expect(lines[0]).toBe('The receipt is valid.');
  expect(printed).toContain('handed over to anna@example.com at 2026-11-18T09:05:31.007Z');
  expect(printed).toContain('Witness W1 saw the same log at 2026-11-18T09:06:00.000Z.');
  expect(lines.at(-1)).toMatch(/^Not known: /);
  const withKey = await verify('--json', 'verify', receipt, '--key', key);
  expect(withKey.exit).toBe(0);
  expect(JSON.parse(withKey.printed)).toMatchObject({ file: receipt, isValid: true, facts: { receiver: 0 } });
});

test('has exit codes of its own for a receipt that is not proven, not readable, or judged by nobody', async () => {
  const changed = join(home, 'changed.json');
  writeFileSync(changed, readFileSync(receipt, 'utf8').replace('anna', 'bert'));
  const { exit, printed } = await verify('verify', changed, receipt, '--policy', policy);
  expect(exit).toBe(9);
  expect(printed).toMatch(/changed\.json:\nThe receipt is NOT valid/);
  expect(printed).toContain('receipt.json:\nThe receipt is valid.');
  expect(await verify('verify', join(home, 'none'), receipt, '--policy', policy)).toMatchObject({ exit: 1 });
  const untrusted = await verify('verify', receipt);
  expect(untrusted.exit).toBe(10);
  expect(untrusted.errors).toContain('waybill verify --pin URL');
  expect(await verify('verify', receipt, '--key', 'x')).toMatchObject({ exit: 2 });
  expect(await verify('verify')).toMatchObject({ exit: 2 });
});

test('says of another file that it is no receipt, and goes on after each file that fails', async () => {
  const missing = join(home, 'missing.json');
  const invoice = join(home, 'invoice.json');
  const changed = join(home, 'changed.json');
  writeFileSync(invoice, '{"type":"invoice"}');
  writeFileSync(changed, readFileSync(receipt, 'utf8').replace('anna', 'bert'));
  const { exit, printed, errors } = await verify('verify', missing, invoice, changed, receipt, '--policy', policy);
  expect(exit).toBe(9);
  expect(errors).toContain(missing);
  expect(printed).toContain(
    `${invoice}:\nThe file is not a receipt of Waybill. There is nothing to verify.\nThe file is JSON of another kind.\n${changed}:\nThe receipt is NOT valid.`,
  );
  expect(printed).toContain(`${receipt}:\nThe receipt is valid.`);
  expect(await verify('verify', invoice, '--policy', policy)).toMatchObject({ exit: 9 });
});

test('checks the time stamps of a receipt if it knows the certificate of their authority, and says so if not', async () => {
  const stamped = example('stamped-receipt.json');
  const authority = example('time-stamp-ca.pem');
  const checked = await verify('verify', stamped, '--policy', policy, '--timestamp-ca', authority);
  expect(checked.exit).toBe(0);
  expect(checked.printed).toContain(
    'The log files.example.org/log/1 had the first 2 of these 3 events before 2026-11-18T09:05:00.000Z, according to Example Clock, Example Time.',
  );
  const unchecked = await verify('verify', stamped, '--policy', policy);
  expect(unchecked.exit).toBe(0);
  expect(unchecked.printed).toMatch(/^Not checked: a time stamp .* waybill verify --timestamp-ca FILE$/m);
  const changed = join(home, 'changed.json');
  // A bit of the signature, at the end of the token.
  writeFileSync(
    changed,
    readFileSync(stamped, 'utf8').replace(/.(?="}\],"type")/, (last) => (last === 'A' ? 'B' : 'A')),
  );
  const forged = await verify('verify', changed, '--policy', policy, '--timestamp-ca', authority);
  expect(forged.exit).toBe(9);
  expect(forged.printed).toContain('Time stamp 1 is not valid');
  const unusable = await verify('verify', stamped, '--policy', policy, '--timestamp-ca', policy);
  expect(unusable.exit).toBe(2);
  expect(unusable.errors).toContain('there is no certificate in PEM');
});

test('pins the policy of a server once it is confirmed, and notices another one', async () => {
  let served = readFileSync(policy, 'utf8');
  await using server = await WireServer.start(({ path }, response) => {
    response.writeHead(path.endsWith('log/policy') ? 200 : 404).end(served);
  });
  const origin = new URL(server.baseUrl).origin;
  expect(await verify('verify', '--pin', origin)).toMatchObject({ exit: 2 });
  expect(readdirSync(home)).toEqual([]);
  const terminal = withUserInput(fakeTerminal(home), () => 'y');
  expect(await run(terminal, ['verify', '--pin', origin], never, '1')).toBe(0);
  expect(terminal.errors.text).toContain('files.example.org/log/1  Ed25519  21fe 31df');
  expect(terminal.errors.text).toContain('Nothing proves yet that they are right.');
  expect((await verify('verify', receipt)).exit).toBe(0);
  expect((await verify('verify', '--pin', origin)).printed).toContain('names the policy that is pinned');
  served = `${served}# other\n`;
  expect(await verify('verify', '--pin', origin)).toMatchObject({ exit: 2, errors: expect.stringContaining('OTHER') });
});

test('says why a policy cannot be fetched', async () => {
  const ended = await WireServer.start();
  await ended[Symbol.asyncDispose]();
  const refused = await verify('verify', '--pin', ended.baseUrl);
  expect(refused.exit).toBe(5);
  expect(refused.errors).toContain(`${new URL(ended.baseUrl).host} cannot be reached: the connection was refused.`);
  await using server = await WireServer.start((_seen, response, request) => {
    response.writeHead(200, { 'Content-Length': '1000' });
    response.write('log ', () => request.socket.destroy());
  });
  const { origin, host } = new URL(server.baseUrl);
  const brokenOff = await verify('verify', '--pin', origin);
  expect(brokenOff.exit).toBe(5);
  expect(brokenOff.errors).toContain(`${host} cannot be reached: `);
});

test('opens no connection: it also works where there is no network', () => {
  const program = new URL('../main.ts', import.meta.url).pathname;
  const words = ['-r', '-n', process.execPath, '--conditions=source', program, 'verify', receipt, '--policy', policy];
  const { status, stdout, stderr } = spawnSync('unshare', words, { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toContain('The receipt is valid.');
});
