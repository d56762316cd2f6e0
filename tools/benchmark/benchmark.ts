/**
 * What the service costs, as ratios within one run: transfers against the AWS SDK on the same bucket, contacts_read.cgi
 * against a bare Fastify route with the same select. `npm run benchmark [-- --json]`; takes a few minutes.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createCipheriv, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { demoEnvironment, projectDir, waybilld } from '../demo/environment.ts';

const run = promisify(execFile);
const sizeBytes = 1024 ** 3;
const rounds = 5;
const wrk = { connections: 32, seconds: 8, rounds: 3 };

interface Account {
  user: string;
  api_key: string;
}

const children: ChildProcess[] = [];
const folder = mkdtempSync(join(tmpdir(), 'waybill-benchmark-'));
try {
  const demo = JSON.parse(await firstLine(start(`${projectDir}/tools/demo/demo`, []), '"base_url"')) as {
    accounts: Account[];
  };
  const environment = demoEnvironment();
  // Past the proxy: it is the service that is measured.
  const serve = start(process.execPath, [waybilld, 'serve'], {
    PATH: process.env['PATH'] ?? '',
    ...environment,
    WAYBILL_LISTEN: '127.0.0.1:0',
    WAYBILL_LOG_LEVEL: 'info',
  });
  const { listening } = JSON.parse(await firstLine(serve, '"listening"')) as { listening: string };
  const results = {
    ...(await transfers(listening, demo.accounts)),
    ...(await requests(listening, demo.accounts[0] as Account, environment['WAYBILL_DATABASE_URL'] as string)),
  };
  report(results);
} finally {
  for (const child of children.toReversed()) await end(child);
  rmSync(folder, { recursive: true, force: true });
}

async function transfers(baseUrl: string, [sender, receiver]: Account[]) {
  const file = join(folder, 'bytes');
  await writeRandomFile(file);
  const sending = await signIn(baseUrl, sender as Account);
  const receiving = await signIn(baseUrl, receiver as Account);
  await sending.post('contacts_add.cgi', [{ email: receiver?.user }]);
  const seconds: Record<string, number[]> = { put: [], parts: [], upload: [], get: [], download: [] };
  // Taking turns, so that what else the machine does weighs on all of them alike.
  for (let round = 0; round < rounds; round += 1) {
    seconds['put']?.push(await sdk('put', file));
    seconds['upload']?.push(await sending.timed('-F', 'do=upload', '-F', `file=@${file}`, sending.cgi('upload.cgi')));
    seconds['parts']?.push(await sdk('parts', file));
  }
  await sending.post('receivers_set.cgi', [{ email: receiver?.user }]);
  await sending.get('get_files.cgi');
  await sending.post('createdrop.cgi', {});
  const { inbox } = JSON.parse(await receiving.get('get_history.cgi')) as { inbox: { url: string }[] };
  const url = `${baseUrl}/${receiver?.user}/${inbox[0]?.url}/files/bytes`;
  for (let round = 0; round < rounds; round += 1) {
    seconds['get']?.push(await sdk('get', file));
    seconds['download']?.push(await receiving.timed(url));
  }
  const rate = (name: string) => sizeBytes / 1024 ** 2 / median(seconds[name] as number[]);
  return {
    'upload, MiB/s': { service: rate('upload'), yardstick: rate('put'), against: 'SDK PutObject of one stream' },
    'upload, MiB/s (parts)': {
      service: rate('upload'),
      yardstick: rate('parts'),
      against: 'SDK Upload, 4 parts of 8 MiB at once',
    },
    'download, MiB/s': { service: rate('download'), yardstick: rate('get'), against: 'SDK GetObject' },
  };
}

async function requests(baseUrl: string, account: Account, databaseUrl: string) {
  const client = await signIn(baseUrl, account);
  const bare = start(process.execPath, [join(import.meta.dirname, 'bare-server.ts'), databaseUrl, account.user]);
  const bareUrl = `${await firstLine(bare, 'http')}/contacts`;
  const rates: Record<'service' | 'bare', number[]> = { service: [], bare: [] };
  for (let round = 0; round < wrk.rounds; round += 1) {
    rates.bare.push(await requestsPerSecond(bareUrl, []));
    rates.service.push(await requestsPerSecond(client.cgi('contacts_read.cgi'), client.headers));
  }
  return {
    'contacts_read, requests/s': {
      service: median(rates.service),
      yardstick: median(rates.bare),
      against: 'bare Fastify route, same select',
    },
  };
}

async function requestsPerSecond(url: string, headers: string[]): Promise<number> {
  const args = [
    '-t1',
    `-c${wrk.connections}`,
    `-d${wrk.seconds}s`,
    ...headers.flatMap((header) => ['-H', header]),
    url,
  ];
  const { stdout } = await run('wrk', args);
  if (stdout.includes('Non-2xx')) throw new Error(`wrk met failures:\n${stdout}`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
}

async function signIn(baseUrl: string, { user, api_key: key }: Account) {
  const credentials = Buffer.from(`${user}:${key}`).toString('base64');
  const page = await fetch(`${baseUrl}/${user}/`, { headers: { authorization: `Basic ${credentials}` } });
  const token = /name="csrftoken" value="([^"]+)"/.exec(await page.text())?.[1];
  const headers = [`Authorization: Basic ${credentials}`, `CSRF-Token: ${token}`];
  const curl = async (...args: string[]) => {
    const { stdout } = await run('curl', ['-sSf', ...headers.flatMap((header) => ['-H', header]), ...args]);
    return stdout;
  };
  const cgi = (name: string) => `${baseUrl}/${user}/cgi/${name}`;
  return {
    headers,
    cgi,
    get: (name: string) => curl(cgi(name)),
    post: (name: string, body: unknown) =>
      curl('-H', 'Content-Type: application/json', '-d', JSON.stringify(body), cgi(name)),
    timed: async (...args: string[]) => Number(await curl('-o', '/dev/null', '-w', '%{time_total}', ...args)),
  };
}

async function sdk(operation: string, file: string): Promise<number> {
  const { stdout } = await run(process.execPath, [join(import.meta.dirname, 'sdk-transfer.ts'), operation, file]);
  return Number(stdout);
}

function report(results: Record<string, { service: number; yardstick: number; against: string }>): void {
  if (process.argv.includes('--json')) {
    process.stdout.write(`${JSON.stringify(results)}\n`);
    return;
  }
  for (const [name, { service, yardstick, against }] of Object.entries(results)) {
    const ratio = (service / yardstick).toFixed(2);
    process.stdout.write(
      `${name.padEnd(28)} ${service.toFixed(0).padStart(6)}  ${ratio} of ${yardstick.toFixed(0)} (${against})\n`,
    );
  }
}

/** Bytes that do not compress, without keeping them in memory. */
async function writeRandomFile(path: string): Promise<void> {
  const stream = createWriteStream(path);
  const noise = createCipheriv('aes-128-ctr', randomBytes(16), randomBytes(16));
  const zeros = Buffer.alloc(1024 * 1024);
  for (let written = 0; written < sizeBytes; written += zeros.length) {
    if (!stream.write(noise.update(zeros))) await once(stream, 'drain');
  }
  stream.end();
  await once(stream, 'close');
}

function start(command: string, args: string[], environment: NodeJS.ProcessEnv = process.env): ChildProcess {
  const child = spawn(command, args, {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  return child;
}

async function firstLine(child: ChildProcess, sign: string): Promise<string> {
  for await (const line of createInterface({ input: child.stdout as Readable })) {
    if (line.includes(sign)) {
      child.stdout?.resume();
      return line;
    }
  }
  throw new Error('a process ended before it was ready');
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}
