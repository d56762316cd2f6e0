import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Account } from '../lib/accounts.ts';
import { processEnvironment } from '../lib/servers/admin.ts';
import { demo } from '../lib/servers/running-demo.ts';

export const commandPath = fileURLToPath(new URL('../../client/dist/command/main.js', import.meta.url));

export interface Ran {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** A person at their own machine, with an account and a home directory where the command stores its files. */
export class Person implements Disposable {
  readonly account: Account;
  readonly home = mkdtempSync(join(tmpdir(), 'waybill-home-'));
  readonly baseUrl: string;

  constructor(account: Account, baseUrl = demo().base_url) {
    this.account = account;
    this.baseUrl = baseUrl;
  }

  get environment(): Record<string, string> {
    return {
      ...processEnvironment,
      HOME: this.home,
      WAYBILL_URL: this.baseUrl,
      WAYBILL_USER: this.account.user,
      WAYBILL_API_KEY: this.account.apiKey,
    };
  }

  start(...words: string[]): ChildProcess {
    return spawn(process.execPath, [commandPath, ...words], { cwd: this.home, env: this.environment });
  }

  [Symbol.dispose](): void {
    rmSync(this.home, { recursive: true, force: true });
  }
}

export async function ended(child: ChildProcess): Promise<Ran> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [exitCode, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { exitCode, signal, stdout, stderr };
}
