import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { requireKind } from '../test/require-kind.ts';

requireKind('engines');

/** Runs a program that tools/setup installs. */
export const runInstalled = promisify(execFile);
