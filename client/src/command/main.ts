#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { run } from './run.ts';

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => interrupted.abort());

// Whoever reads our answer may have seen enough, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

const exit = await run(
  {
    input: process.stdin,
    output: process.stdout,
    errors: process.stderr,
    environment: process.env,
    homeFolder: homedir(),
  },
  process.argv.slice(2),
  interrupted.signal,
  manifest.version,
);
// What is still open, such as a standard input nobody reads, must not keep the process; what was written must get out.
process.stdout.write('', () => process.exit(exit));
