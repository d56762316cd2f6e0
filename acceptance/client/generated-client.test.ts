// A client that a common generator makes from the server's description of /api/v1, and a program that uses it.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '@hey-api/openapi-ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshClient, uniqueAddress } from '../lib/accounts.ts';
import { linkTokens, waitForMail } from '../lib/people/mailbox.ts';
import { demo } from '../lib/servers/running-demo.ts';

const run = promisify(execFile);
const packages = new URL('../../node_modules', import.meta.url).pathname;

/** Uploads a file, sends it, and reads what became of it; then what is wrong with a drop without files. */
const program = `
import { client } from './client/client.gen.js';
import { createDrop, createUpload, getDrop } from './client/sdk.gen.js';
import type { DropFile, Problem } from './client/types.gen.js';

const [baseUrl = '', key = '', email = ''] = process.argv.slice(2);
client.setConfig({ baseUrl, auth: key });

const { data: upload } = await createUpload({
  body: new Blob(['As agreed.']),
  headers: { 'Content-Disposition': 'attachment; filename="report.txt"' },
  throwOnError: true,
});
if (!upload) throw new Error('this is the response to the beginning of an upload in parts');
const { data: drop } = await createDrop({
  body: { uploads: [upload.id], receivers: [{ email }], metadata: { project: 'bridge' } },
  headers: { 'Idempotency-Key': upload.id },
  throwOnError: true,
});
const { data } = await getDrop({ path: { id: drop.id }, throwOnError: true });
const { error } = await createDrop({ body: { uploads: [drop.id], receivers: [{ email }] } });
const names: string[] = data.files.map((file: DropFile) => file.name);
const problem: Problem | undefined = error;
console.log(JSON.stringify({ reference: data.reference, names, code: problem?.code }));
`;
const settings = {
  compilerOptions: {
    strict: true,
    target: 'es2024',
    module: 'nodenext',
    typeRoots: [join(packages, '@types')],
    types: ['node'],
    outDir: 'built',
  },
  files: ['send.ts'],
};

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-generated-'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  writeFileSync(join(folder, 'send.ts'), program);
  const output = { path: join(folder, 'client'), module: { extension: '.js' } };
  const input = `${demo().base_url}/api/v1/openapi.json`;
  await createClient({ input, output, logs: { level: 'silent', file: false } });
  await run(join(packages, '.bin/tsc'), ['--project', folder]);
});
afterAll(() => rmSync(folder, { recursive: true }));

test('a generated client compiles in strict TypeScript, and sends a file', async () => {
  const { account } = await freshClient('generated');
  const email = uniqueAddress('generated');
  const words = [join(folder, 'built/send.js'), demo().base_url, account.apiKey, email];
  const { stdout } = await run(process.execPath, words);
  expect(JSON.parse(stdout)).toEqual({
    reference: expect.stringMatching(/^WB-/),
    names: ['report.txt'],
    code: 'not_found',
  });
  expect(linkTokens(await waitForMail(email), 'd')).toHaveLength(1);
});
