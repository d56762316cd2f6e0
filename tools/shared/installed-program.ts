import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Runs a program that tools/setup installs. A test that imports this file does not count as a unit test. */
export const runInstalled = promisify(execFile);
