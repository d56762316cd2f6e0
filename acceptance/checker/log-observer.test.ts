// The observer of the published log: it reports nothing while the log grows, and names a log that shrinks or forks.
import { generateKeyPairSync, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import {
  appendLeaves,
  createSigner,
  edgeRoot,
  emptyEdge,
  formatCheckpoint,
  formatTilePath,
  formatVerifierKey,
  hashLeaf,
  signNote,
} from '../../evidence/src/index.ts';
import { eventually } from '../lib/wait.ts';
import { LogObserver } from './log-observer.ts';

const origin = 'files.example.org/log/1';

/** A server of a log that shows whatever it is told to. */
async function startLog() {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const key = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
  const signer = createSigner({
    name: origin,
    type: 1,
    publicKey: key,
    sign: (text) => sign(null, text, privateKey),
    readTime: () => 0,
  });
  const files = new Map<string, Uint8Array>([
    ['/log/policy', Buffer.from(`log ${formatVerifierKey(origin, 1, key)}\nquorum none\n`)],
  ]);
  const server = createServer(({ url = '' }, response) => {
    const file = files.get(url);
    response.writeHead(file ? 200 : 404).end(file);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    async show(...entries: string[]): Promise<void> {
      const { edge, tiles } = appendLeaves(
        emptyEdge,
        entries.map((entry) => hashLeaf(Buffer.from(entry))),
      );
      for (const { tile, bytes } of tiles) files.set(`/log/1/${formatTilePath(tile)}`, bytes);
      const text = formatCheckpoint({ origin, size: entries.length, root: edgeRoot(edge) });
      files.set('/log/1/checkpoint', Buffer.from(await signNote(text, [signer])));
    },
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Shows these logs one after another, and returns what the observer reports. */
async function observe(...histories: string[][]): Promise<string[]> {
  using log = await startLog();
  await using observer = await LogObserver.start([log.url]);
  let looked = 0;
  for (const history of histories) {
    await log.show(...history);
    const before = looked;
    await eventually('a look', async () => {
      looked = observer.looks;
      // The one under way may have begun before.
      return looked > before + 1 || undefined;
    });
  }
  return (await observer.end(log.url)).map((problem) => problem.replace(log.url, 'URL'));
}

test('reports nothing if the log grows', async () => {
  expect(await observe(['a'], ['a', 'b'], ['a', 'b', 'c'])).toEqual([]);
});

test('reports a log that shrinks', async () => {
  expect(await observe(['a', 'b'], ['a'])).toEqual([
    'log: URL returned 1 entries after 2',
    'log: has 1 entries, and had 2',
  ]);
});

test('reports a log that forks, at the same size and later', async () => {
  expect(await observe(['a', 'b'], ['a', 'x'])).toContain('log: two checkpoints of 2 entries are signed');
  expect(await observe(['a', 'b'], ['a', 'x', 'c'])).toEqual([
    'log: what it published of 2 entries is not a part of it',
  ]);
});
