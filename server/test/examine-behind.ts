import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProxyPlace } from '../../tools/shared/shipped-proxies.ts';
import { closedPort } from '../../tools/shared/tcp.ts';
import type { Finding } from '../src/domain/doctor/finding.ts';
import { examinePublicUrl, type PublicUrlExamination } from '../src/engines/public-url/examine.ts';
import { buildServer, type ServerEngines, type ServerOptions } from '../src/services/build-server.ts';
import { collectFindings } from './findings.ts';
import { testServerOptions } from './server.ts';
import { startDaemon } from './servers/own-daemon.ts';

const pepper = randomBytes(32);
const random = { bytes: randomBytes, uuid: randomUUIDv7 };
const maxFileBytes = 2 * 1024 ** 4;

/** The server itself, with only the engines that the doctor's request needs. */
export async function startServe(options: Partial<ServerOptions>, port = 0) {
  const app = buildServer({ pepper, policy: { maxFileBytes } } as unknown as ServerEngines, {
    ...testServerOptions,
    ...options,
  });
  await app.listen({ host: '127.0.0.1', port });
  return { port: (app.server.address() as AddressInfo).port, [Symbol.asyncDispose]: () => app.close() };
}

export const examinePublic = (publicUrl: string, examination: Partial<PublicUrlExamination> = {}) =>
  collectFindings(examinePublicUrl({ publicUrl, pepper, random, maxFileBytes, ...examination }));

export interface Behind {
  readonly trusted?: readonly string[];
  readonly examination?: Partial<PublicUrlExamination>;
}

/** The findings behind a proxy that is set up well. */
export const nothingWrong = [
  'ok proxy.reachable',
  'ok proxy.client',
  'ok proxy.uploads',
  'ok proxy.downloads',
  'ok proxy.size',
];

/** Examines a real server behind a real proxy. */
export async function examineBehind(
  proxy: (place: ProxyPlace) => readonly [command: string, ...args: string[]],
  { trusted = ['127.0.0.1'], examination }: Behind = {},
): Promise<Finding[]> {
  const port = await closedPort();
  const publicUrl = `http://127.0.0.1:${port}`;
  await using serve = await startServe({ publicUrl, trustedProxies: trusted });
  const folder = mkdtempSync(join(tmpdir(), 'waybill-proxy-'));
  try {
    const place = { folder, port, plainPort: await closedPort(), backend: `127.0.0.1:${serve.port}` };
    await using _ = await startDaemon(port, ...proxy(place));
    return await examinePublic(publicUrl, examination);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
