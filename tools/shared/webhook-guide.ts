import { execFileSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { saltBytes, WebhookSecrets } from '../../server/src/domain/webhooks/webhook-secrets.ts';

const guides = readFileSync(fileURLToPath(new URL('../../docs/guides.md', import.meta.url)), 'utf8');
const [, section = ''] = guides.split('## Verify a webhook\n');

/** How the code in a language is run. */
interface Program {
  /** As its block is marked in the document. */
  readonly language: string;
  readonly file: string;
  readonly command: string;
  /** Code that verifies the request in the first argument, and prints `true` or `false`. */
  readonly call: string;
  readonly env?: NodeJS.ProcessEnv;
}

const secrets = new WebhookSecrets(randomBytes(32));
const newSource = () => ({ accountId: randomUUID(), webhookId: randomUUID(), salt: randomBytes(saltBytes) });

/** Checks that the code in docs/guides.md accepts what the server signs, and nothing else. */
export function expectWebhookVerifier({ language, file, command, call, env }: Program): void {
  const folder = mkdtempSync(join(tmpdir(), 'webhook-guide-'));
  try {
    const [, code = ''] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(section) ?? [];
    writeFileSync(join(folder, file), `${code}\n${call}\n`);
    expectVerifier((request) => execFileSync(command, [join(folder, file), request], { encoding: 'utf8', env }).trim());
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns the headers of a request that the server signed, and the keys of its webhook. */
export function signRequest(body: string): { headers: Record<string, string>; secret: string; publicKey: string } {
  const source = newSource();
  const headers = secrets.headersFor({ id: randomUUID(), sentAt: new Date(), body }, [source]);
  return { headers, secret: secrets.deriveSecret(source), publicKey: secrets.derivePublicKey(source) };
}

function expectVerifier(verify: (request: string) => string): void {
  const isGenuine = (request: object) => verify(JSON.stringify(request));
  const [current, previous] = [newSource(), newSource()];
  const body = '{"type":"drop.completed","data":{"name":"Grüße"}}';
  const sign = (sentAt: Date) => secrets.headersFor({ id: randomUUID(), sentAt, body }, [current, previous]);
  const headers = sign(new Date());
  const secret = secrets.deriveSecret(current);
  expect(isGenuine({ headers, body, secret })).toBe('true');
  expect(isGenuine({ headers, body, secret: secrets.deriveSecret(previous) })).toBe('true');
  expect(isGenuine({ headers, body, secret: secrets.deriveSecret(newSource()) })).toBe('false');
  expect(isGenuine({ headers, body: `${body} `, secret })).toBe('false');
  expect(isGenuine({ headers: { ...headers, 'webhook-id': 'other' }, body, secret })).toBe('false');
  expect(isGenuine({ headers: { ...headers, 'webhook-signature': 'v1,é' }, body, secret })).toBe('false');
  expect(isGenuine({ headers: sign(new Date(Date.now() - 600_000)), body, secret })).toBe('false');
  expect(isGenuine({ headers: {}, body, secret })).toBe('false');
}
