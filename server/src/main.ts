#!/usr/bin/env node
import './host/leave-start-directory.ts';

import type { Roles } from './cli/program.ts';
import { version } from './config/version.ts';

// Monitoring and scripts ask for it often: nothing else needs to be loaded.
if (process.argv.length === 3 && process.argv[2] === '--version') {
  process.stdout.write(`${version}\n`);
  process.exit(0);
}
const [{ exitCodes, toFailure, failureText }, { makeProgram, UsageError }] = await Promise.all([
  import('./cli/failure.ts'),
  import('./cli/program.ts'),
]);

/** A service outlives the reader of its output; a command has no one left to work for. */
let isService = false;
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (isService) return;
    // The reader has seen enough, as `head` does.
    if (error.code === 'EPIPE') process.exit(exitCodes.done);
    if (stream === process.stdout) process.stderr.write(`waybilld: The output cannot be written: ${error.message}.\n`);
    process.exit(exitCodes.failed);
  });
}

/** Loaded when they are run: help and a wrong command line need none of the libraries behind them. */
const roles: Roles = {
  async serve(options) {
    isService = true;
    await (await import('./services/serve.ts')).serve(options);
  },
  async work() {
    isService = true;
    await (await import('./services/work.ts')).work();
  },
  withEngines: async (...given) => (await import('./cli/commands.ts')).withEngines(...given),
  diagnose: async (options) => (await import('./cli/commands.ts')).diagnoseParts(options),
  setUp: async (options) => (await import('./cli/commands.ts')).runSetup(options),
};

try {
  await makeProgram(roles, version).parseAsync();
} catch (error) {
  if (error instanceof UsageError && error.isHelp) process.exit(exitCodes.done);
  const failure = toFailure(error);
  if (failure) process.stderr.write(failureText(failure, process.argv.includes('--json')));
  process.exit(failure?.exitCode ?? exitCodes.usage);
}
