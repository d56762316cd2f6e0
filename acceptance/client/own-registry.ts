import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Registry extends AsyncDisposable {
  url: string;
}

/** An npm registry that offers what is installed in these folders except our own packages, so that a test needs no network. */
export async function ownRegistry(nodeModules: string[]): Promise<Registry> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1);
    const isPackage = path.endsWith('.tgz');
    const reply = isPackage ? packed(nodeModules, path.slice(0, -4)) : described(nodeModules, path, url);
    reply.then(
      (body) => response.end(body),
      () => response.writeHead(404).end(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function described(nodeModules: string[], name: string, url: string): Promise<string> {
  const manifest = JSON.parse(readFileSync(join(findFolder(nodeModules, name), 'package.json'), 'utf8')) as {
    version: string;
  };
  const version = { ...manifest, dist: { tarball: `${url}/${name}.tgz` } };
  return JSON.stringify({ name, 'dist-tags': { latest: manifest.version }, versions: { [manifest.version]: version } });
}

async function packed(nodeModules: string[], name: string): Promise<Buffer> {
  const folder = findFolder(nodeModules, name);
  const words = ['-czhf', '-', '-C', folder, '--exclude=./node_modules', '--transform', 's,^\\.,package,', '.'];
  const { stdout } = await run('tar', words, { encoding: 'buffer', maxBuffer: 64 * 1024 * 1024 });
  return stdout;
}

function findFolder(nodeModules: string[], name: string): string {
  const folder = nodeModules.map((each) => join(each, name)).find(existsSync);
  if (folder === undefined || name.startsWith('@waybill/')) throw new Error(`${name} is not installed`);
  return folder;
}
