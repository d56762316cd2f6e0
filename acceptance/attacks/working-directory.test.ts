import { spawn } from 'node:child_process';
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { shellWords } from '../../tools/shared/shell-words.ts';
import { closedPort } from '../../tools/shared/tcp.ts';
import { commandPath, ended, type Ran } from '../client/command.ts';
import { fullSize } from '../lib/full-size.ts';
import { processEnvironment, programEnvironment, programPath } from '../lib/servers/admin.ts';
import { ownServe, ownWorker } from '../lib/servers/own-serve.ts';

/**
 * A directory that any user may have prepared, such as one below /tmp, with a file for every loader that searches the
 * working directory. Code in them leaves a mark; reading them shows in their access times. Files of data are empty, so
 * that a search continues to those of code.
 */
const home = mkdtempSync(join(tmpdir(), 'waybill-home-'));
/** A folder in memory, where access times are recorded. */
const planted = mkdtempSync('/dev/shm/waybill-planted-');
const mark = join(home, 'mark');
const settings = mkdtempSync(join(tmpdir(), 'waybill-settings-'));

const leaveMark = `require('node:fs').appendFileSync(${JSON.stringify(mark)}, __filename + '\\n');`;
const leaveMarkAsModule = `import { appendFileSync } from 'node:fs'; appendFileSync(${JSON.stringify(mark)}, import.meta.url + '\\n');`;
const code = {
  js: `${leaveMark} module.exports = {};`,
  cjs: `${leaveMark} module.exports = {};`,
  ts: leaveMarkAsModule,
  mjs: leaveMarkAsModule,
};
/** The names from which cosmiconfig, graphile-config and others derive their files. */
const configurations = [
  'graphile-worker',
  'graphile',
  'cosmiconfig',
  'waybill',
  'waybilld',
  'pino',
  'i18next',
  'kysely',
];
const files: Record<string, string> = {
  ...Object.fromEntries(
    configurations.flatMap((name) => [
      ...Object.entries(code).flatMap(([extension, content]) => [
        [`.${name}rc.${extension}`, content],
        [`${name}.config.${extension}`, content],
        [`.config/${name}rc.${extension}`, content],
      ]),
      ...['', '.json', '.yaml', '.yml'].map((extension) => [`.${name}rc${extension}`, '']),
    ]),
  ),
  '.config.js': code.js,
  '.config.json': '{"cosmiconfig":{"searchPlaces":["planted.cjs"]}}',
  'planted.cjs': code.cjs,
  'package.json': '{"type":"commonjs"}',
  'node.config.json': '{"nodeOptions":{"require":["./planted.cjs"]}}',
  ...Object.fromEntries(['.env', '.env.local', '.env.production'].map((name) => [name, 'WAYBILL_LOG_LEVEL=planted\n'])),
  ...Object.fromEntries(
    ['pg', 'pg-native', 'graphile-worker', 'commander', 'pino-pretty', 'bufferutil', 'aws-crt'].map((name) => [
      `node_modules/${name}/index.js`,
      code.js,
    ]),
  ),
  'tasks/send-message.js': code.js,
  crontab: '* * * * * send-message\n',
  '.npmrc': 'node-options=--require=./planted.cjs\n',
  '.pgpass': '*:*:*:*:planted\n',
  'pg_service.conf': '[planted]\n',
  '.pg_service.conf': '[planted]\n',
  '.aws/config': '[default]\nregion = planted\n',
  '.aws/credentials': '[default]\naws_access_key_id = planted\n',
  'openssl.cnf': 'planted\n',
  environment: 'WAYBILL_LOG_LEVEL=planted\n',
};
const plantedPaths = Object.keys(files);
const list = ['admin', 'accounts', 'list', '--json'];
const longAgo = new Date('2001-01-01T00:00:00Z');

beforeEach(() => {
  rmSync(mark, { force: true });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(planted, path, '..'), { recursive: true });
    writeFileSync(join(planted, path), content);
    utimesSync(join(planted, path), longAgo, new Date());
  }
});
afterAll(() => {
  for (const folder of [planted, home, settings]) rmSync(folder, { recursive: true, force: true });
});

async function run(program: string, words: readonly string[], environment: Record<string, string>): Promise<Ran> {
  const child = spawn(process.execPath, [program, ...words], { cwd: planted, env: { ...environment, HOME: home } });
  child.stdin.end();
  return await ended(child);
}

function reads(): string[] {
  return plantedPaths.filter((path) => statSync(join(planted, path)).atime.getTime() !== longAgo.getTime());
}

const marks = (): string[] => (readdirSync(home).includes('mark') ? readFileSync(mark, 'utf8').split('\n') : []);

/**
 * The commands that the program lists in its help, each as the first example there that runs it: all of the client, and
 * of an administrator's commands, whose processes load the same files, one of a group, and outside the laboratory one
 * of each fourth group.
 */
async function listCommands(program: string, name: string, path: readonly string[] = []): Promise<string[][]> {
  const { stdout } = await run(program, [...path, '--help'], processEnvironment);
  const section = (title: string) => new RegExp(`\\n${title}:\\n((?: {2}.*\\n)+)`).exec(stdout)?.[1] ?? '';
  const below = [...section('Commands').matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, word = '']) => word);
  const named = below.filter((word) => word !== 'help');
  if (named.length > 0) {
    const isAdmin = path[0] === 'admin';
    const chosen = named.filter(
      (_, index) => !isAdmin || (path.length === 1 ? fullSize || index % 4 === 0 : index === 0),
    );
    const lists = await inTurns(chosen, (word) => listCommands(program, name, [...path, word]));
    return lists.flat();
  }
  const example =
    section('Examples')
      .split('\n')
      .find((line) => !line.includes('--help') && line.includes([name, ...path].join(' '))) ?? '';
  return [shellWords(name, example.trim())];
}

/** Runs as many at a time as there are processors. */
async function inTurns<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = [...items.entries()];
  const next = async (): Promise<void> => {
    for (let turn = waiting.shift(); turn; turn = waiting.shift()) results[turn[0]] = await work(turn[1]);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, next));
  return results;
}

test('access times show which files are read', () => {
  const path = join(planted, 'control');
  writeFileSync(path, 'x');
  utimesSync(path, longAgo, new Date());
  readFileSync(path);
  expect(statSync(path).atime.getTime()).not.toBe(longAgo.getTime());
});

test('no command of waybilld loads or reads anything from the directory it is started in', async () => {
  const commands = await listCommands(programPath, 'waybilld');
  expect(commands.length).toBeGreaterThan(fullSize ? 18 : 7);
  // Everything is loaded, and nothing is changed.
  const away = {
    ...programEnvironment(),
    WAYBILL_DATABASE_URL: `postgres://nobody@127.0.0.1:${await closedPort()}/none`,
  };
  const once = commands.filter(([first]) => first !== 'serve' && first !== 'work');
  const results = await inTurns(once, (words) =>
    run(programPath, words[0] === 'setup' ? [...words, '--dir', settings] : words, away),
  );
  expect(results.filter(({ stderr }) => /planted|at .*:\d+:\d+\)/.test(stderr))).toEqual([]);
  expect(marks()).toEqual([]);
  expect(reads()).toEqual([]);
});

test('nor do those that reach their engines', async () => {
  const environment = programEnvironment();
  const listed = await run(programPath, list, environment);
  expect(listed).toMatchObject({ exitCode: 0, stderr: '' });
  const program = { waybilld: programPath, environment: { ...environment, HOME: home }, folder: planted };
  const services = [await ownServe({}, program), await ownWorker({}, program)];
  await Promise.all(services.map((service) => service.stop()));
  expect(marks()).toEqual([]);
  expect(reads()).toEqual([]);
});

test('nor does any command of the client', async () => {
  const commands = await listCommands(commandPath, 'waybill');
  expect(commands.length).toBeGreaterThan(20);
  await inTurns(commands, (words) => run(commandPath, words, processEnvironment));
  expect(marks()).toEqual([]);
  expect(reads()).toEqual([]);
});

test('a command works in a directory that its user cannot read', async () => {
  // A directory of another user, for a root without additional rights.
  const closed = join(settings, 'closed');
  mkdirSync(closed, { mode: 0o700 });
  chownSync(closed, 65_534, 65_534);
  const words = ['--bounding-set=-dac_override,-dac_read_search', process.execPath, programPath, ...list];
  const child = spawn('setpriv', words, { cwd: closed, env: programEnvironment() });
  expect(await ended(child)).toMatchObject({ exitCode: 0, stderr: '' });
});

test('a command works in a directory that was removed, and a relative path is refused there', async () => {
  const removed = join(settings, 'removed');
  const runThere = async (...words: string[]) => {
    mkdirSync(removed);
    const script = 'rmdir "$PWD" && exec "$@"';
    const child = spawn('sh', ['-c', script, 'sh', process.execPath, programPath, ...words], {
      cwd: removed,
      env: programEnvironment(),
    });
    return await ended(child);
  };
  expect(await runThere(...list)).toMatchObject({ exitCode: 0, stderr: '' });
  const refused = await runThere('admin', 'backup', 'verify', '--from', 'backups');
  expect(refused.exitCode).not.toBe(0);
  expect(refused.stderr).toContain('was removed. Use an absolute path instead of backups.');
  expect(refused.stderr).not.toMatch(/\n +at /);
});
