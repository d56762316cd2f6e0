// docs/examples/waybill.py, as an integrator would run it.
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eicar } from '../../tools/shared/eicar.ts';
import { freshClient } from '../lib/accounts.ts';
import type { Client } from '../lib/http/client.ts';
import { demo } from '../lib/servers/running-demo.ts';

const program = new URL('../../docs/examples/waybill.py', import.meta.url).pathname;
let folder: string;
let [sender, receiver]: Client[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-python-'));
  [sender, receiver] = await Promise.all([freshClient('sender'), freshClient('receiver')]);
});
afterAll(() => rmSync(folder, { recursive: true }));

const run = (account: Client | undefined, ...args: string[]) =>
  promisify(execFile)('python3', [program, ...args], {
    env: { ...process.env, WAYBILL_URL: demo().base_url, WAYBILL_API_KEY: account?.account.apiKey ?? '' },
  });
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

test('sends files, which the same program fetches at their receiver', async () => {
  const contents = new Map([
    ['empty.bin', Buffer.alloc(0)],
    ['smörgås.txt', Buffer.from('smörgås')],
    ['large.bin', randomBytes(20 * 1024 * 1024 + 1)],
  ]);
  for (const [name, content] of contents) writeFileSync(join(folder, name), content);
  const paths = [...contents.keys()].map((name) => join(folder, name));
  const { stdout } = await run(sender, 'send', ...paths, '--to', receiver?.user ?? '', '--message', 'As agreed.');
  expect(stdout).toMatch(/^Sent as WB-\S+, until 20\S+\.\n$/);

  const incoming = join(folder, 'incoming');
  const pulled = (await run(receiver, 'pull', incoming)).stdout.trim().split('\n');
  expect(pulled).toHaveLength(contents.size);
  const [entry = ''] = readdirSync(incoming);
  expect(readdirSync(join(incoming, entry)).toSorted()).toEqual([...contents.keys()].toSorted());
  for (const [name, content] of contents) {
    expect(sha256(readFileSync(join(incoming, entry, name))), name).toBe(sha256(content));
  }
  expect((await run(receiver, 'pull', incoming)).stdout, 'what was acknowledged').toBe('');
});

test('says what is wrong', async () => {
  const bad = join(folder, 'bad.com');
  writeFileSync(bad, eicar);
  await expect(run(sender, 'send', bad, '--to', 'r@example.org')).rejects.toMatchObject({
    code: 1,
    stderr: 'waybill: bad.com was refused: infected\n',
  });
  const good = join(folder, 'good.txt');
  writeFileSync(good, 'good');
  await expect(run(sender, 'send', good, '--to', 'nobody')).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining('/receivers/0/email'),
  });
});
