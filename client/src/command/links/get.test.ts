// `waybill get` against servers that a link may lead to, which need not be honest.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fakeTerminal, withUserInput } from '../../testing/fake-terminal.ts';
import { type ReceivedRequest, refuse, succeed, WireServer } from '../../testing/wire-server.ts';
import { run } from '../run.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'client-get-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const token = 'hIXk0Q2Jr8vYt4mZ1cN7aEw5LbPfS9dUoG3xRjKyTqA';
const session = `wbl_${token}`;
const content = 'the report';
const digest = createHash('sha256').update(content);
const [hex, base64] = [digest.copy().digest('hex'), digest.copy().digest('base64')];

interface Served {
  files?: { id: string; path: string }[];
  code?: object | null;
  download?: (seen: ReceivedRequest, response: ServerResponse) => void;
}

const sendFile = (_seen: ReceivedRequest, response: ServerResponse) => {
  response.writeHead(200, {
    ETag: '"e"',
    'Repr-Digest': `sha-256=:${base64}:`,
    'Content-Length': content.length,
  });
  response.end(content);
};

/** A server with one download link. */
async function linkServer({ files = [{ id: 'f1', path: 'a.txt' }], code = null, download = sendFile }: Served = {}) {
  const about = { reference: 'WB-7F3K-29QD', expires_at: '2031-01-01T00:00:00Z' };
  const drop = {
    ...about,
    sender: { name: 'Ann', email: 'ann@example.org' },
    message: '',
    files: files.map((file) => ({ ...file, name: file.path.split('/').at(-1), size: content.length, sha256: hex })),
  };
  return await WireServer.start((seen, response) => {
    if (seen.path === 'link/open') return succeed(response, { session, kind: 'download', code, ...about });
    if (seen.path === 'link/drop') return succeed(response, drop);
    if (seen.path === 'link/close') return void response.writeHead(204).end();
    if (seen.path.startsWith('link/files/')) return download(seen, response);
    return refuse(response, 404, 'not_found');
  });
}

async function get(server: WireServer, folder: string, terminal = fakeTerminal(home)) {
  const words = ['get', `${server.baseUrl}/d/${token}`, '--to', folder];
  const exit = await run(terminal, words, new AbortController().signal, '1.2.3');
  return { exit, printed: terminal.output.text, errors: terminal.errors.text };
}

const listAll = () => readdirSync(home, { recursive: true, encoding: 'utf8' }).toSorted((a, b) => a.localeCompare(b));

describe('a server', () => {
  test('cannot place a file outside of the folder, whatever its id and its path', async () => {
    for (const id of ['x/../../outside', 'x/../../in/../outside', '../../outside', '/outside', 'x\\..\\..\\outside']) {
      await using server = await linkServer({
        files: [{ id, path: '../../.ssh/authorized_keys' }],
        // The part stays where it is.
        download(_seen, response) {
          response.writeHead(200, { ETag: '"e"', 'Repr-Digest': `sha-256=:${base64}:`, 'Content-Length': 2 });
          response.end('no');
        },
      });
      expect((await get(server, join(home, 'in'))).exit).not.toBe(0);
      expect(server.paths().at(-1)).toContain('link/files/');
      expect(listAll()).toEqual(['in', expect.stringMatching(/^in\/\.waybill-[^/]+\.part$/)]);
      rmSync(join(home, 'in'), { recursive: true });
    }
    await using server = await linkServer({ files: [{ id: 'f1', path: '../../.ssh/authorized_keys' }] });
    expect((await get(server, join(home, 'in'))).exit).toBe(0);
    expect(readdirSync(home)).toEqual(['in']);
  });

  test('cannot fill the disk with more bytes than the file has', async () => {
    let sent = 0;
    await using server = await linkServer({
      download(_seen, response) {
        response.writeHead(206, {
          ETag: '"e"',
          'Repr-Digest': `sha-256=:${base64}:`,
          'Content-Range': `bytes 0-9/${content.length}`,
        });
        const more = () => {
          // As long as the client reads: 64 MB at most, so that the test ends.
          while (!response.destroyed && sent < 64_000_000) {
            sent += 1_000_000;
            if (!response.write(Buffer.alloc(1_000_000))) return;
          }
          response.end();
        };
        response.on('drain', more);
        more();
      },
    });
    expect((await get(server, join(home, 'in'))).exit).not.toBe(0);
    expect(sent).toBeLessThan(64_000_000);
  });

  test('cannot control the terminal with the address to which a code was sent', async () => {
    const code = { channel: 'mail', to: 'r\u001b]0;title\u0007\u202e@example.org', state: 'sent', expires_at: null };
    await using server = await linkServer({ code });
    const terminal = withUserInput(fakeTerminal(home), () => '');
    await get(server, join(home, 'in'), terminal);
    expect(terminal.errors.text).toContain('r\ufffd]0;title');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those that must not be there
    expect(terminal.errors.text).not.toMatch(/\u001b\]|\u0007|\u202e/);
  });

  test('that redirects is not followed with the secret', async () => {
    await using other = await WireServer.start((_seen, response) => succeed(response, {}));
    await using server = await WireServer.start((_seen, response) => {
      response.writeHead(307, { Location: `${other.baseUrl}/api/v1/link/open` }).end();
    });
    const { exit, errors } = await get(server, join(home, 'in'));
    expect([exit, other.requests]).toEqual([1, []]);
    expect(errors).not.toContain(token);
  });
});

test('files that are there already are checked although a process may not open all of them at once', async () => {
  const files = Array.from({ length: 150 }, (_each, index) => ({ id: `f${index}`, path: `${index}.txt` }));
  await using server = await linkServer({ files });
  const folder = join(home, 'in');
  mkdirSync(folder);
  for (const { path } of files) writeFileSync(join(folder, path), content);
  const command = fileURLToPath(new URL('../main.ts', import.meta.url));
  const words = ['--conditions=source', command, 'get', `${server.baseUrl}/d/${token}`, '--to', folder];
  const getting = spawn('sh', ['-c', 'ulimit -n 64; exec "$0" "$@"', process.execPath, ...words], {
    env: { PATH: process.env['PATH'], HOME: home },
    stdio: 'ignore',
  });
  const [exit] = await once(getting, 'exit');
  expect(exit).toBe(0);
  expect(server.paths().filter((path) => path.includes('link/files'))).toEqual([]);
});
