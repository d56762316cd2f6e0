// The commands of docs/folders.md, as a reader would type them, and the commands of both systemd units, as a pipe.
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { createAccount } from '../lib/accounts.ts';
import { eventually } from '../lib/wait.ts';
import { commandPath, ended, Person } from './command.ts';

const run = promisify(execFile);
const project = fileURLToPath(new URL('../../', import.meta.url));
const guide = readFileSync(join(project, 'docs/folders.md'), 'utf8');

/** Returns the blocks of a language in a section. */
function findBlocks(title: string, language: string): string[] {
  const section = guide.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';
  return [...section.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, block = '']) => block);
}

async function type(person: Person, commands: string): Promise<string> {
  const bin = join(person.home, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'waybill'), `#!/bin/sh\nexec '${process.execPath}' '${commandPath}' "$@"\n`);
  chmodSync(join(bin, 'waybill'), 0o755);
  const env = { ...person.environment, PATH: `${bin}:${process.env['PATH']}` };
  return (await run('bash', ['-euo', 'pipefail', '-c', commands], { cwd: person.home, env })).stdout;
}

test('the first steps send a file from a folder to a folder', async () => {
  const [sender, receiver] = [await createAccount('folders-a'), await createAccount('folders-b')];
  using out = new Person(sender);
  using into = new Person(receiver);
  const [sending = '', receiving = '', ...more] = findBlocks('Try it', 'sh');
  expect(more).toEqual([]);
  const sent = await type(out, sending.replaceAll('archive@example.org', receiver.user));
  expect(sent).toContain('report.csv.receipt.json');
  expect(await type(into, receiving)).toContain('a,report');
});

/** Returns the words of the command of a unit, with the options of its environment file, for another folder. */
function readUnit(name: string, environment: string, folder: string): string[] {
  const text = readFileSync(join(project, `client/systemd/waybill-${name}@.service`), 'utf8');
  const [, command = ''] = /^ExecStart=waybill (.*)$/m.exec(text) ?? [];
  const options = new Map([...environment.matchAll(/^(\w+)=(.*)$/gm)].map(([, key = '', value = '']) => [key, value]));
  return command
    .replace(/\/srv\/waybill\/\w+\/%i/, folder)
    .replace(/\$(\w+)/, (_whole, key: string) => options.get(key) ?? `no ${key}`)
    .split(' ');
}

test('the commands of both units are a pipe', async () => {
  const [sender, receiver] = [await createAccount('pipe-a'), await createAccount('pipe-b')];
  using out = new Person(sender);
  using into = new Person(receiver);
  const [watching = '', pulling = ''] = findBlocks('Run it as a service', 'ini');
  const options = watching.replaceAll('archive@example.org', receiver.user);
  mkdirSync(join(out.home, 'out'));
  const watch = out.start(...readUnit('watch', options, join(out.home, 'out')));
  const pull = into.start(...readUnit('pull', pulling, join(into.home, 'in')));
  const ends = [ended(watch), ended(pull)];
  await eventually('the folder is watched', async () => existsSync(join(out.home, 'out/sending')) || undefined);
  writeFileSync(join(out.home, 'out/plan.pdf'), 'the plan');
  const arrived = join(into.home, 'in/plan.pdf');
  await eventually('the file arrives', async () => existsSync(arrived) || undefined);
  expect(readFileSync(arrived, 'utf8')).toBe('the plan');
  for (const child of [watch, pull]) child.kill('SIGTERM');
  expect((await Promise.all(ends)).map(({ exitCode }) => exitCode)).toEqual([0, 130]);
});
