import { spawn } from 'node:child_process';
import { demoEnvironment } from '../../../tools/demo/environment.ts';

export interface AdminResult {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

const repositoryRoot = new URL('../../..', import.meta.url).pathname;
export const programPath = new URL('server/dist/main.js', `file://${repositoryRoot}`).pathname;

/**
 * For every process that tests start. There are many, and with the code that earlier ones compiled each takes about
 * a quarter less processor time to start.
 */
export const processEnvironment = {
  PATH: process.env['PATH'] ?? '',
  NODE_COMPILE_CACHE: `${repositoryRoot}node_modules/.cache/node`,
};

/** Only the demo's settings: the program refuses unknown WAYBILL_ names, and the suite has some of its own. */
export function programEnvironment(): Record<string, string> {
  return { ...processEnvironment, ...demoEnvironment() };
}

/** Runs an administrator's command, as on the server's command line. */
export function admin(args: string[], input = '', overrides: Record<string, string> = {}): Promise<AdminResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [programPath, 'admin', ...args], {
      cwd: repositoryRoot,
      env: { ...programEnvironment(), ...overrides },
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      stderr += chunk;
    });
    child.once('error', reject);
    child.once('close', (exitCode) => resolve({ exitCode, stdout, stderr }));
    // A command that does not read its input may already have closed it.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

/** For steps that have to succeed before the actual test. */
export async function adminJson<T>(args: string[], input = '', overrides: Record<string, string> = {}): Promise<T> {
  const result = await admin(args, input, overrides);
  if (result.exitCode !== 0) {
    throw new Error(`admin ${args.join(' ')} ended with ${result.exitCode}: ${result.stderr}${result.stdout}`);
  }
  return JSON.parse(result.stdout) as T;
}
