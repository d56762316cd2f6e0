import { readFileSync, statSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { SetupError } from '../../domain/setup-error.ts';

export interface TransitOptions {
  /** Of the key: https://vault.example.org:8200/v1/transit/keys/waybill */
  readonly keyUrl: string;
  readonly tokenFile: string;
  readonly timeoutMs?: number;
}

export interface TransitResponse {
  readonly status: number;
  readonly data: Readonly<Record<string, unknown>>;
  /** Vault's error messages, which never quote the request. */
  readonly errors: readonly string[];
}

const attempts = 3;
const pauseMs = 200;

/** One request, repeated while Vault is away. Rejects with `unavailable` when there is no response, or no permission. */
export async function askTransit(
  options: TransitOptions,
  action: 'keys' | 'encrypt' | 'decrypt',
  body?: Readonly<Record<string, string>>,
): Promise<TransitResponse> {
  let last: unknown;
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    try {
      const reply = await askOnce(options, action, body);
      if (reply.status < 400 || (reply.status < 429 && reply.status !== 412)) return reply;
      last = new Error(describe(reply));
    } catch (error) {
      // Vault's agent may be about to write the token.
      last = error;
      if (error instanceof SetupError) break;
    }
    if (attempt < attempts) await setTimeout(pauseMs * attempt);
  }
  throw new ExchangeError('unavailable', undefined, { cause: last, engine: 'masterKeys' });
}

export const describe = ({ status, errors }: TransitResponse) =>
  `Vault responded with ${status}${errors.length > 0 ? `: ${errors.join(' ').replaceAll(/\s+/g, ' ').trim().slice(0, 200)}` : ''}`;

async function askOnce(
  { keyUrl, tokenFile, timeoutMs = 3_000 }: TransitOptions,
  action: string,
  body: Readonly<Record<string, string>> | undefined,
): Promise<TransitResponse> {
  const url = keyUrl.replace(/\/keys\/(?=[^/]+$)/, `/${action}/`);
  const response = await fetch(url, {
    method: body ? 'POST' : 'GET',
    headers: { 'X-Vault-Token': token(tokenFile), 'X-Vault-Request': 'true', 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
    // The token must not go anywhere else.
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  });
  const content = (await response.json().catch(() => ({}))) as { data?: TransitResponse['data']; errors?: string[] };
  return { status: response.status, data: content.data ?? {}, errors: content.errors ?? [] };
}

/** Read each time, because Vault's agent replaces it. */
function token(path: string): string {
  try {
    if ((statSync(path).mode & 0o007) === 0) return readFileSync(path, 'utf8').trim();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new SetupError(`WAYBILL_VAULT_TOKEN_FILE names ${path}, which cannot be read (${code}).`, { cause });
  }
  throw new SetupError(`${path} holds a token and is open to every user of this machine. Run: chmod o= ${path}`);
}
