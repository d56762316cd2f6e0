/**
 * waybilld from this clone, built and restarted when a file changes, on the engines of compose.yaml. Runs on any system
 * with Docker and Node, and without root.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const project = fileURLToPath(new URL('../../', import.meta.url));
const waybilld = join(project, 'server/dist/main.js');
const words = process.argv.slice(2);

if (words[0] === '--help') {
  process.stdout.write(`Usage: npm run dev [-- COMMAND]

Starts the engines of compose.yaml in Docker, and serve and work from this clone at http://localhost:8080. They restart
when a file changes. Press Ctrl-C to stop them; "docker compose stop" stops the engines. If WAYBILL_DATABASE_URL is
set, no engine is started, and all settings come from the environment. With a COMMAND, only runs it:

  npm run dev -- admin accounts create --email me@example.org --phone 46700000001

Mails are at http://localhost:8025.
`);
  process.exit(0);
}

const folder = mkdtempSync(join(tmpdir(), 'waybill-dev-'));
process.on('exit', () => rmSync(folder, { recursive: true }));
const env = {
  ...(process.env['WAYBILL_DATABASE_URL'] === undefined ? engineSettings() : {}),
  ...process.env,
};

execFileSync('npm', ['run', '--silent', 'build'], { cwd: project, stdio: 'inherit' });
const commands =
  words.length > 0
    ? [[waybilld, ...words]]
    : [
        [join(project, 'node_modules/.bin/tsc'), '-b', '--watch', '--preserveWatchOutput'],
        [
          join(project, 'node_modules/.bin/vite'),
          'build',
          '--watch',
          '--config',
          'server/vite.program.config.ts',
          'server',
        ],
        ['--watch-path', join(project, 'server/dist'), waybilld, 'serve'],
        ['--watch-path', join(project, 'server/dist'), waybilld, 'work'],
      ];
const children = commands.map((args) => spawn(process.execPath, args, { cwd: project, env, stdio: 'inherit' }));
// Ctrl-C reaches the children too; this process waits for them.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => children.map((child) => child.kill()));
const codes = await Promise.all(
  children.map((child) => new Promise<number>((resolve) => child.once('exit', (code) => resolve(code ?? 0)))),
);
process.exitCode = Math.max(...codes);

/** Starts the engines, and copies their secrets out of the volume that they are kept in. */
function engineSettings(): Record<string, string> {
  requireDocker();
  const compose = (...args: string[]) =>
    execFileSync('docker', ['compose', '-f', 'compose.yaml', '-f', 'deploy/compose/dev.yaml', ...args], {
      cwd: project,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  compose('build', 'secrets');
  compose('up', '--wait', 'postgres', 'valkey', 's3', 'clamd', 'mailpit');
  compose('run', '--rm', '-T', 'setup');
  compose('cp', 'secrets:/etc/waybill', folder);
  const secrets = join(folder, 'waybill');
  return {
    WAYBILL_PUBLIC_URL: 'http://localhost:8080',
    WAYBILL_DATABASE_URL: readFileSync(join(secrets, 'database-url'), 'utf8').replace(
      '@postgres:5432',
      '@127.0.0.1:15432',
    ),
    WAYBILL_REDIS_URL: 'redis://127.0.0.1:16379',
    WAYBILL_S3_ENDPOINT: 'http://127.0.0.1:18333',
    WAYBILL_S3_BUCKET: 'waybill',
    WAYBILL_S3_ACCESS_KEY_ID: 'waybill',
    WAYBILL_S3_SECRET_ACCESS_KEY_FILE: join(secrets, 's3-secret'),
    WAYBILL_MASTER_KEY_FILE: join(secrets, 'master-keys'),
    WAYBILL_KEY_PEPPER_FILE: join(secrets, 'key-pepper'),
    WAYBILL_CLAMD: '127.0.0.1:13310',
    WAYBILL_SMTP_URL: 'smtp://127.0.0.1:11025?ignoreTLS=true',
    WAYBILL_MAIL_FROM: 'waybill@example.org',
    WAYBILL_STOP_DELAY_SECONDS: '0',
    WAYBILL_STOP_SECONDS: '5',
  };
}

/** Ends with one line that says what to do unless Docker and its compose can be used. */
function requireDocker(): void {
  const canRun = (...args: string[]) => spawnSync('docker', args, { stdio: 'ignore' }).status === 0;
  const problem = !canRun('--version')
    ? 'Docker was not found. Install it, with its compose plugin.'
    : !canRun('compose', 'version')
      ? 'Docker has no compose. Install its compose plugin.'
      : !canRun('info')
        ? 'Docker is not running, or this user may not use it. Start it, or run: sudo usermod -aG docker "$USER" (and sign in again).'
        : undefined;
  if (problem === undefined) return;
  process.stderr.write(
    `dev: ${problem} Or set WAYBILL_DATABASE_URL and the other settings to use engines of your own.\n`,
  );
  process.exit(1);
}
