import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * As much of Vault's Transit engine as its documentation describes for encrypt, decrypt, rotate and reading a key of type
 * aes256-gcm96, with a token; the real one cannot be run here. `fail` makes the next requests fail with a status, or
 * not get a response at all.
 */
export async function openTransit(): Promise<
  {
    readonly keyUrl: string;
    readonly token: string;
    rotate(): void;
    fail(status: number | 'silence', times: number): void;
    setToken(token: string): void;
  } & AsyncDisposable
> {
  const versions: { key: Buffer; made: number }[] = [{ key: randomBytes(32), made: 1_790_000_000 }];
  const faults: (number | 'silence')[] = [];
  let token = `hvs.${randomBytes(12).toString('hex')}`;

  const reply = (path: string, input: Record<string, string>): [number, object] => {
    const [, action, name] = /^\/v1\/transit\/(keys|encrypt|decrypt)\/([\w-]+)$/.exec(path) ?? [];
    if (!action) return [404, { errors: [`no handler for route ${path.slice(4)}`] }];
    if (name !== 'waybill')
      return action === 'keys' ? [404, { errors: [] }] : [400, { errors: ['encryption key not found'] }];
    const aad = Buffer.from(input['associated_data'] ?? '', 'base64');
    if (action === 'keys') {
      const keys = Object.fromEntries(versions.map(({ made }, index) => [String(index + 1), made]));
      const data = { name, type: 'aes256-gcm96', latest_version: versions.length, min_decryption_version: 1, keys };
      return [200, { data }];
    }
    if (action === 'encrypt') {
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', versions.at(-1)?.key as Buffer, nonce).setAAD(aad);
      const sealed = [nonce, cipher.update(Buffer.from(input['plaintext'] ?? '', 'base64')), cipher.final()];
      const text = Buffer.concat([...sealed, cipher.getAuthTag()]).toString('base64');
      return [200, { data: { ciphertext: `vault:v${versions.length}:${text}`, key_version: versions.length } }];
    }
    const [, version, base64 = ''] = /^vault:v(\d+):(.+)$/.exec(input['ciphertext'] ?? '') ?? [];
    const found = versions[Number(version) - 1];
    if (!found) return [400, { errors: ['invalid ciphertext: version is too new'] }];
    try {
      const bytes = Buffer.from(base64, 'base64');
      const decipher = createDecipheriv('aes-256-gcm', found.key, bytes.subarray(0, 12), { authTagLength: 16 });
      decipher.setAAD(aad).setAuthTag(bytes.subarray(-16));
      const plaintext = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
      return [200, { data: { plaintext: plaintext.toString('base64') } }];
    } catch {
      return [400, { errors: ['cipher: message authentication failed'] }];
    }
  };

  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const fault = faults.shift();
    if (fault === 'silence') return;
    const isAllowed = request.headers['x-vault-token'] === token;
    const [status, body] = fault
      ? [fault, { errors: fault === 503 ? ['Vault is sealed'] : ['internal error'] }]
      : isAllowed
        ? reply(request.url ?? '', JSON.parse(Buffer.concat(pieces).toString() || '{}') as Record<string, string>)
        : [403, { errors: ['permission denied'] }];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    keyUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/transit/keys/waybill`,
    get token() {
      return token;
    },
    rotate: () => void versions.push({ key: randomBytes(32), made: 1_790_000_000 + versions.length }),
    fail: (status, times) => void faults.push(...Array.from({ length: times }, () => status)),
    setToken(next) {
      token = next;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
