// The README's commands for Docker, run with the shipped Dockerfile and compose.yaml, and what the containers may do.
import { execFile } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { launchBrowser } from '../../tools/shared/browser.ts';
import { eicar } from '../../tools/shared/eicar.ts';
import { closedPort } from '../../tools/shared/tcp.ts';
import { eventually } from '../lib/wait.ts';

const run = promisify(execFile);
const maxImageBytes = 300e6;

interface Container {
  Name: string;
  Config: { User: string; Labels: Record<string, string> };
  HostConfig: { ReadonlyRootfs: boolean; CapDrop: string[]; CapAdd: string[] | null; SecurityOpt: string[] };
  State: { Pid: number; Status: string; ExitCode: number; Health?: { Status: string } };
}

const env = { ...process.env };
/** Output of the commands of the README, one after the other. */
let printed: string;

async function shell(command: string): Promise<string> {
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', command], { env, maxBuffer: 1e8 });
  return stdout;
}

const sending = "echo 'Hello Bo' | docker compose run --rm -T waybill send - --name hello.txt --to bo@example.org";

/** The commands of the README. */
function walk(): string {
  const [, block, ...more] = readFileSync('README.md', 'utf8').split('<!-- container walk -->\n```sh\n');
  const text = block?.split('\n```')[0];
  if (text === undefined || more.length > 0) throw new Error('README.md must have exactly one walk with Docker');
  return text;
}

async function containers(): Promise<Map<string, Container>> {
  const found = JSON.parse(await shell('docker compose ps -aq | xargs docker inspect')) as Container[];
  return new Map(found.map((one) => [one.Config.Labels['com.docker.compose.service'] ?? '', one]));
}

beforeAll(async () => {
  // The default ports may be in use on this machine.
  env['HTTP_PORT'] = String(await closedPort());
  env['MAIL_PORT'] = String(await closedPort());
  try {
    printed = await shell(`${walk()}\n${sending}`);
  } catch (error) {
    const logs = await shell('docker compose ps -a; docker compose logs --tail 20');
    throw new Error(`${(error as Error).message}\n${logs}`, { cause: error });
  }
});
afterAll(async () => {
  await shell('docker compose down --volumes');
});

/** The link in the mail to this address, as the mail program shows it. */
async function linkTo(address: string): Promise<string> {
  const api = `http://127.0.0.1:${env['MAIL_PORT']}/api/v1`;
  return await eventually(`a mail to ${address}`, async () => {
    const { messages } = (await (await fetch(`${api}/messages`)).json()) as {
      messages: { ID: string; To: { Address: string }[] }[];
    };
    const mail = messages.find(({ To }) => To.some(({ Address }) => Address === address));
    if (mail === undefined) return undefined;
    const { Text } = (await (await fetch(`${api}/message/${mail.ID}`)).json()) as { Text: string };
    return /http:\/\/localhost:\d+\/d\/\S+/.exec(Text)?.[0];
  });
}

test('the walk shows the first account, its key and a link, and the account sends a file', () => {
  expect(printed).toMatch(/Account {2}demo@example\.org\nAPI key {2}wb_\S+\n/);
  expect(printed).toMatch(/as demo@example\.org, .*:\nhttp:\/\/localhost:\d+\/sign-in\/link\/[\w-]{43}\n/);
  expect(printed).toMatch(/^Sent 1 file \(.*\) to bo@example\.org as WB-/m);
});

test('Bo gets from the mail to the file', async () => {
  const browser = await launchBrowser();
  const page = await browser.newPage();
  await page.goto(await linkTo('bo@example.org'));
  await page.getByRole('button').click();
  await page.waitForURL('**/download/*/');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('.file', { hasText: 'hello.txt' }).getByRole('link').click(),
  ]);
  expect(readFileSync(await download.path(), 'utf8')).toBe('Hello Bo\n');
  await browser.close();
});

test('a virus is refused', async () => {
  const infected = `printf %s '${eicar}' | docker compose run --rm -T waybill send - --to bo@example.org 2>&1`;
  await expect(shell(infected)).rejects.toMatchObject({ stdout: expect.stringContaining('virus') });
});

test('everything is healthy, or has ended well', async () => {
  const states = [...(await containers())].map(([service, { State }]) => [
    service,
    State.Health ? State.Health.Status : `${State.Status} ${State.ExitCode}`,
  ]);
  expect(Object.fromEntries(states)).toEqual({
    ...Object.fromEntries(
      ['proxy', 'serve', 'work', 'postgres', 'valkey', 's3', 'clamd', 'mailpit'].map((name) => [name, 'healthy']),
    ),
    ...Object.fromEntries(['secrets', 'setup'].map((name) => [name, 'exited 0'])),
  });
});

test('no container runs as root, can write to its root, has a capability or can get one', async () => {
  for (const [service, { Config, HostConfig, State }] of await containers()) {
    expect([service, HostConfig.ReadonlyRootfs, HostConfig.CapDrop, HostConfig.SecurityOpt]).toEqual([
      service,
      true,
      ['ALL'],
      ['no-new-privileges:true'],
    ]);
    expect(Config.User, service).not.toMatch(/^(?:0|root)?(?::|$)/);
    if (State.Pid === 0) continue;
    // As the kernel has it, of the container's first process.
    const status = readFileSync(`/proc/${State.Pid}/status`, 'utf8');
    expect(/^Uid:\s+(\d+)/m.exec(status)?.[1], service).not.toBe('0');
    for (const set of ['CapPrm', 'CapEff', 'CapAmb']) {
      expect(/^0+$/.test(new RegExp(`^${set}:\\s+(\\w+)`, 'm').exec(status)?.[1] ?? ''), `${service} ${set}`).toBe(
        true,
      );
    }
    expect(status, service).toMatch(/^NoNewPrivs:\s+1$/m);
  }
});

describe('the image', () => {
  test('is smaller than 300 MB', async () => {
    const bytes = Number(await shell("docker image inspect waybill:local --format '{{.Size}}'"));
    process.stdout.write(`waybill:local has ${(bytes / 1e6).toFixed(0)} MB\n`);
    expect(bytes).toBeLessThan(maxImageBytes);
  });

  test('has no shell', async () => {
    await expect(shell('docker compose exec -T serve sh -c true 2>&1')).rejects.toThrow();
  });

  test('cannot be written to', async () => {
    const writing = `docker compose exec -T serve node -e "fs.writeFileSync('/srv/waybill/new', '')" 2>&1`;
    await expect(shell(writing)).rejects.toMatchObject({ stdout: expect.stringContaining('EROFS') });
  });

  test('names its version when it is asked', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect((await shell('docker run --rm waybill:local --version')).trim()).toBe(version);
  });
});

const docs = readFileSync('docs/containers.md', 'utf8');

/** Commands of docs/containers.md, with the environment file, secrets and engines of compose.yaml. */
function productionCommands(commands: string): string[] {
  return commands
    .replaceAll('\\\n', '')
    .replaceAll('--volume /etc/waybill:', '--network waybill_default --volume waybill_secrets:')
    .replaceAll('10.0.0.11:8080:8080', '127.0.0.1::8080')
    .replaceAll(/ waybill (serve|work|admin|setup)\b/g, ' waybill:local $1')
    .trim()
    .split('\n');
}

test('the commands for production in docs/containers.md work on the same engines', async () => {
  const [, setup = '', commands = ''] =
    /^(docker run .* setup)$[^]*?```sh\n(docker run --detach[^]*?)```/m.exec(docs) ?? [];
  const lines = productionCommands(commands);
  // Nobody is here to be asked, and the stand-in's signatures are old.
  const again = productionCommands(`${setup.replace(' -it ', ' ')} --no-doctor`);
  expect(await shell(again.join('\n'))).toContain('everything was already set up');
  expect(await shell(lines.join('\n'))).toContain('demo@example.org');
  for (const name of ['waybill-serve', 'waybill-work']) {
    await eventually(
      `${name} healthy`,
      async () => {
        const status = await shell(`docker inspect ${name} --format '{{.State.Health.Status}}'`);
        return status.trim() === 'healthy' || undefined;
      },
      { withinMs: 180_000 },
    );
  }
  await shell('docker rm --force waybill-serve waybill-work');
});

// It starts containers eight times, one after the other.
test('a backup is made and restored by the commands of docs/containers.md', { timeout: 900_000 }, async () => {
  const [, commands = ''] = /```sh\n(docker run[^`]* admin backup [^]*?)```/.exec(docs) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'waybill-backup-'));
  const places = ['waybill', 'waybill-day-keys'];
  for (const place of places) {
    mkdirSync(join(folder, place));
    chownSync(join(folder, place), 10001, 10001);
  }
  chmodSync(folder, 0o755);
  const lines = productionCommands(
    places.reduce(
      (text, place) => text.replaceAll(`--volume /var/backups/${place}:`, `--volume ${join(folder, place)}:`),
      commands,
    ),
  );
  const [backup = '', ...restore] = lines;
  expect(await shell(backup)).toMatch(/^Backup \S+ is complete/);
  await shell('echo Later | docker compose run --rm -T waybill send - --name later.txt --to bo@example.org');
  // The proxy too: it would be found unhealthy at once, because it has had nothing to ask.
  await shell('docker compose stop proxy serve work');
  onTestFinished(async () => {
    await shell('docker compose up --wait');
  });
  await shell(restore.join('\n'));
  await shell('docker compose up --wait');
  const history = await shell('docker compose run --rm -T waybill history');
  expect(history).toContain('hello.txt');
  expect(history).not.toContain('later.txt');
  rmSync(folder, { recursive: true });
});

test('a second start keeps the account and its key', async () => {
  const secrets = `docker compose exec -T serve node -p "fs.readFileSync('/etc/waybill/master-keys', 'utf8')"`;
  const before = await shell(secrets);
  await shell('docker compose stop && docker compose up --wait');
  expect(await shell(secrets)).toBe(before);
  expect(await shell('docker compose logs --no-log-prefix setup')).toContain('everything was already set up');
  expect(await shell('docker compose run --rm -T waybill history')).toContain('hello.txt');
});

test('serve and work end by themselves when they are stopped', async () => {
  await shell('docker compose stop serve work');
  const all = await containers();
  expect(['serve', 'work'].map((name) => all.get(name)?.State.ExitCode)).toEqual([0, 0]);
});
