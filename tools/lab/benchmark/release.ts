/** A built Waybill with its own database and bucket: this one, or that of an earlier commit. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createBucket, purgeBucket } from '../../demo/bucket.ts';
import type * as demo from '../../demo/environment.ts';
import { projectDir } from '../../demo/environment.ts';
import { createAccount, dropDatabase, recreateDatabase } from '../../demo/fresh.ts';
import { type Started, startProgram } from './processes.ts';

const run = promisify(execFile);

export interface Account {
  readonly user: string;
  readonly api_key: string;
}

export interface Release extends AsyncDisposable {
  readonly name: 'service' | 'earlier';
  readonly databaseUrl: string;
  readonly bucket: string;
  readonly accounts: readonly [Account, Account];
  serve(settings: Record<string, string>): Promise<Started & { readonly baseUrl: string }>;
}

export async function startRelease(name: Release['name'], folder: string): Promise<Release> {
  // Each commit knows its own settings best.
  const { engineEnvironment } = (await import(`${folder}/tools/demo/environment.ts`)) as typeof demo;
  const waybilld = `${folder}/server/dist/main.js`;
  const database = `waybill_benchmark_${name}`;
  const bucket = `waybill-benchmark-${name}`;
  const environment = {
    PATH: process.env['PATH'] ?? '',
    ...engineEnvironment('http://127.0.0.1'),
    WAYBILL_DATABASE_URL: `postgres://postgres@127.0.0.1:5544/${database}`,
    WAYBILL_S3_BUCKET: bucket,
    WAYBILL_LISTEN: '127.0.0.1:0',
    WAYBILL_LOG_LEVEL: 'info',
  };
  await recreateDatabase(database);
  // Left by an interrupted run.
  await purgeBucket(bucket).catch(() => undefined);
  await createBucket(bucket);
  await run(process.execPath, [waybilld, 'admin', 'migrate'], { env: environment });
  const program = { waybilld, environment };
  return {
    name,
    databaseUrl: environment.WAYBILL_DATABASE_URL,
    bucket,
    accounts: [
      await createAccount(program, { email: 'alpha@machines.test', number: '46700000001' }),
      await createAccount(program, { email: 'beta@machines.test', number: '46700000002' }),
    ],
    async serve(settings) {
      const started = await startProgram(process.execPath, [waybilld, 'serve'], {
        sign: '"listening"',
        environment: { ...environment, ...settings },
      });
      return { ...started, baseUrl: (JSON.parse(started.line) as { listening: string }).listening };
    },
    async [Symbol.asyncDispose]() {
      await dropDatabase(database);
      await purgeBucket(bucket);
    },
  };
}

/** The program of a commit, built in its own folder. */
export async function checkOut(commit: string): Promise<AsyncDisposable & { readonly folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-earlier-'));
  const git = (...args: string[]) => run('git', ['-C', projectDir, 'worktree', ...args]);
  await git('add', '--force', '--detach', folder, commit);
  await installPackages(folder);
  await run('npm', ['run', 'build'], { cwd: folder });
  return { folder, [Symbol.asyncDispose]: async () => void (await git('remove', '--force', folder)) };
}

/** As links to our own packages if both commits have the same ones: seconds instead of most of a minute. */
async function installPackages(folder: string): Promise<void> {
  const lockfile = (of: string) => readFileSync(join(of, 'package-lock.json'), 'utf8');
  if (lockfile(folder) === lockfile(projectDir)) {
    try {
      await run('cp', ['--archive', '--link', join(projectDir, 'node_modules'), folder]);
      rmSync(join(folder, 'node_modules/.cache'), { recursive: true, force: true });
      return;
    } catch {
      // The folder for temporary files is on another file system.
      rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
    }
  }
  await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
}
