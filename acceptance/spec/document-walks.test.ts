// The commands in README.md and docs/api.md, run as a reader would run them.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createAccount } from '../lib/accounts.ts';
import { demo } from '../lib/servers/running-demo.ts';

const run = promisify(execFile);

function walkIn(document: string): string {
  const text = readFileSync(new URL(`../../${document}`, import.meta.url), 'utf8');
  const [, block, ...more] = text.split('<!-- walk -->\n```sh\n');
  const script = block?.split('\n```')[0];
  if (script === undefined || more.length > 0)
    throw new Error(`${document} must have exactly one block marked as the walk`);
  return script;
}

async function expectFileToArrive(document: string): Promise<void> {
  const [sender, receiver] = await Promise.all([createAccount('walk-a'), createAccount('walk-b')]);
  const folder = mkdtempSync(join(tmpdir(), 'document-walk-'));
  try {
    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', walkIn(document)], {
      cwd: folder,
      env: {
        PATH: process.env['PATH'] ?? '',
        BASE_URL: demo().base_url,
        USER_A: sender.user,
        KEY_A: sender.apiKey,
        USER_B: receiver.user,
        KEY_B: receiver.apiKey,
      },
    });
    const sent = readFileSync(join(folder, 'hello.txt'));
    expect(sent.length).toBeGreaterThan(0);
    expect(readFileSync(join(folder, 'received.txt')).equals(sent)).toBe(true);
    expect(stdout).toContain('The file arrived as it was sent.');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test('the curl lines of the README carry a file from one account to another', async () => {
  await expectFileToArrive('README.md');
});

test('the curl lines of the machine API carry a file from one account to another', async () => {
  await expectFileToArrive('docs/api.md');
});
