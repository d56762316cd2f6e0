import { type ChildProcess, spawn } from 'node:child_process';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { SetupError } from '../../../domain/setup-error.ts';

const keptComplaint = 2_000;

/** Where PostgreSQL's client tools are. */
const usualPath = '/usr/local/bin:/usr/bin:/bin';

export interface ToolCall {
  readonly tool: string;
  readonly parameters: readonly string[];
  /** Undefined for a tool that uses no database. */
  readonly databaseUrl?: string;
  readonly input?: AsyncIterable<Buffer>;
  readonly path?: string | undefined;
}

/** Yields the tool's output. Fails with the error of its input, or with the tool's own message. */
export async function* readOutput(call: ToolCall): AsyncGenerator<Buffer, void, void> {
  const { child, ended, written } = start(call);
  try {
    yield* child.stdout as AsyncIterable<Buffer>;
    await written;
    await ended;
  } finally {
    child.kill();
  }
}

export async function runTool(call: ToolCall): Promise<string> {
  let text = '';
  for await (const piece of readOutput(call)) text += piece.toString();
  return text;
}

function start({ tool, parameters, databaseUrl, input, path = usualPath }: ToolCall) {
  const url = databaseUrl === undefined ? undefined : new URL(databaseUrl);
  const password = decodeURIComponent(url?.password ?? '');
  // Everyone on this machine can read a command line.
  if (url) url.password = '';
  const child = spawn(tool, [...parameters, ...(url ? [`--dbname=${url.href}`] : [])], {
    stdio: ['pipe', 'pipe', 'pipe'],
    // None of our own environment, which has secrets.
    env: { PATH: path, ...(password === '' ? {} : { PGPASSWORD: password }) },
  });
  const ended = waitForEnd(tool, child);
  const written = input ? write(input, child.stdin) : undefined;
  // Awaited once the output was read.
  ended.catch(() => undefined);
  written?.catch(() => undefined);
  return { child, ended, written };
}

/** A tool that has seen enough, or that fails, closes its input: how it ends explains more than that. */
async function write(input: AsyncIterable<Buffer>, stdin: Writable): Promise<void> {
  await pipeline(Readable.from(input), stdin).catch((error: NodeJS.ErrnoException) => {
    if (!['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE'].includes(error.code ?? '')) throw error;
  });
}

async function waitForEnd(tool: string, child: ChildProcess): Promise<void> {
  let complaint = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-keptComplaint);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', (cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'ENOENT') reject(cause);
      else reject(new SetupError(`${tool} is not installed. ${installTools}`, { cause }));
    });
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`${tool} failed: ${complaint.trim() || `it ended with ${code}`}`);
}

export const installTools =
  'Install the client tools of PostgreSQL in the version of the server or a later one, on Debian: apt install postgresql-client';
