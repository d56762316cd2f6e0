#!/usr/bin/env node
import { homedir } from 'node:os';
import { exitCodes } from './exit-codes.ts';
import { run } from './run.ts';
import { abortOnSignals } from './signals.ts';
import { version } from './version.ts';

// `process.exit` would wait for calls that do not return. A shell reports 130 for SIGINT.
const interrupted = abortOnSignals(process, () => process.kill(process.pid, 'SIGINT'));

for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // The reader has closed the pipe, as `head` does.
    if (error.code === 'EPIPE') process.exit(exitCodes.success);
    if (stream === process.stdout) process.stderr.write(`waybill: The output cannot be written: ${error.message}.\n`);
    process.exit(exitCodes.failed);
  });
}

const exit = await run(
  {
    input: process.stdin,
    output: process.stdout,
    errors: process.stderr,
    environment: process.env,
    homeFolder: homedir(),
  },
  process.argv.slice(2),
  interrupted,
  version,
);
// Exits after all output is written, although handles such as an unread standard input may still be open.
process.stdout.write('', () => process.exit(exit));
