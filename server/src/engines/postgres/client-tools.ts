import { type ChildProcess, spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { SetupError } from '../../domain/setup-error.ts';

const keptComplaint = 2_000;

/** What the tool prints. Fails with its complaint when it fails. */
export async function* outputOf(
  tool: string,
  parameters: readonly string[],
  databaseUrl: string,
): AsyncGenerator<Buffer, void, void> {
  const { child, ended } = start(tool, parameters, databaseUrl);
  try {
    yield* child.stdout as AsyncIterable<Buffer>;
    await ended;
  } finally {
    child.kill();
  }
}

export async function feed(
  tool: string,
  parameters: readonly string[],
  databaseUrl: string,
  input: AsyncIterable<Buffer>,
): Promise<void> {
  const { child, ended } = start(tool, parameters, databaseUrl);
  try {
    // A tool that fails closes its input; what it complains about explains more than that.
    const written = pipeline(Readable.from(input), child.stdin).catch((error: Error) => error);
    await ended;
    const failure = await written;
    if (failure) throw failure;
  } finally {
    child.kill();
  }
}

function start(tool: string, parameters: readonly string[], databaseUrl: string) {
  const url = new URL(databaseUrl);
  const password = decodeURIComponent(url.password);
  // Everyone on this machine can read a command line.
  url.password = '';
  const child = spawn(tool, [...parameters, `--dbname=${url.href}`], {
    stdio: ['pipe', 'pipe', 'pipe'],
    // None of our own environment, which has secrets.
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', ...(password === '' ? {} : { PGPASSWORD: password }) },
  });
  const ended = endOf(tool, child);
  // Awaited once the output was read.
  ended.catch(() => undefined);
  return { child, ended };
}

async function endOf(tool: string, child: ChildProcess): Promise<void> {
  let complaint = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-keptComplaint);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', (cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'ENOENT') reject(cause);
      else reject(new SetupError(`${tool} is not installed. ${remedy}`, { cause }));
    });
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`${tool} failed: ${complaint.trim() || `it ended with ${code}`}`);
}

const remedy =
  'Install the client tools of PostgreSQL in the version of the server or a later one, on Debian: apt install postgresql-client';
