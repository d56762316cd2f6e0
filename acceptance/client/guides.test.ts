// The code in docs/guides.md, run as a reader would run it.
import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { freshClient } from '../lib/accounts.ts';
import type { Client } from '../lib/http/client.ts';
import { deliver } from '../lib/scenario.ts';
import { commandPath, Person } from './command.ts';

const run = promisify(execFile);
const project = fileURLToPath(new URL('../../', import.meta.url));

interface Block {
  readonly guide: string;
  readonly way: string;
  readonly language: string;
  readonly code: string;
}

const blocks = readFileSync(join(project, 'docs/guides.md'), 'utf8')
  .split(/^## /m)
  .slice(1)
  .flatMap((section) => {
    const [guide = ''] = section.split('\n');
    return [...section.matchAll(/^With (the command|the SDK|curl).*?^```(sh|ts)\n(.*?)^```$/gms)].map(
      ([, way = '', language = '', code = '']): Block => ({ guide, way, language, code }),
    );
  });

/** A reader's machine: two files to send, the command, and the package. */
class Machine extends Person {
  readonly folder = mkdtempSync(join(tmpdir(), 'guides-'));

  constructor({ account }: Client) {
    super(account);
    mkdirSync(join(this.folder, 'drawings'));
    writeFileSync(join(this.folder, 'report.pdf'), 'the report');
    writeFileSync(join(this.folder, 'drawings/plan.pdf'), 'the plan');
    writeFileSync(join(this.folder, 'package.json'), '{"type":"module"}');
    mkdirSync(join(this.folder, 'bin'));
    writeFileSync(join(this.folder, 'bin/waybill'), `#!/bin/sh\nexec '${process.execPath}' '${commandPath}' "$@"\n`);
    chmodSync(join(this.folder, 'bin/waybill'), 0o755);
    mkdirSync(join(this.folder, 'node_modules/@waybill'), { recursive: true });
    symlinkSync(join(project, 'client'), join(this.folder, 'node_modules/@waybill/client'));
  }

  async run(language: string, code: string, signal?: AbortSignal): Promise<string> {
    writeFileSync(join(this.folder, 'example.ts'), code);
    const [program, ...words] =
      language === 'ts' ? [process.execPath, 'example.ts'] : ['bash', '-euo', 'pipefail', '-c', code];
    const { PATH = '', ...environment } = this.environment;
    const env = { ...environment, PATH: `${join(this.folder, 'bin')}:${PATH}` };
    return (await run(program ?? '', words, { cwd: this.folder, env, ...(signal && { signal }) })).stdout;
  }

  read(path: string): string | undefined {
    return existsSync(join(this.folder, path)) ? readFileSync(join(this.folder, path), 'utf8') : undefined;
  }

  override [Symbol.dispose](): void {
    super[Symbol.dispose]();
    rmSync(this.folder, { recursive: true });
  }
}

interface Trial {
  readonly sender: Client;
  readonly receiver: Client;
  readonly machine: Machine;
  readonly output: string;
}

const report = { name: 'report.pdf', content: 'the report' };
const sendReport = ({ sender, receiver }: Pick<Trial, 'sender' | 'receiver'>) => deliver(sender, receiver, [report]);

/** The person, the state before, and the check that the code has worked. */
const guides: Record<
  string,
  {
    readonly on: 'sender' | 'receiver';
    readonly before?: (accounts: Pick<Trial, 'sender' | 'receiver'>) => Promise<unknown>;
    /** The work of the receiver at the same time, until it is aborted. */
    readonly meanwhile?: (receiver: Client, signal: AbortSignal) => Promise<unknown>;
    readonly after: (trial: Trial) => Promise<void>;
  }
> = {
  'Send files': {
    on: 'sender',
    async after({ receiver, output }) {
      expect(output).toMatch(/WB-/);
      const { inbox } = await receiver.readHistory();
      expect(inbox.map(({ files }) => files.map(({ name }) => name).toSorted())).toEqual([['plan.pdf', 'report.pdf']]);
    },
  },
  'Receive files': {
    on: 'receiver',
    before: sendReport,
    async after({ receiver, machine }) {
      const received = [machine.read('incoming/report.pdf'), machine.read('report.pdf')].includes('the report');
      expect(received || machine.read('everything.zip')?.includes('the report')).toBe(true);
      const acknowledged = await receiver.plain('GET', '/api/v1/inbox?state=acknowledged', {
        headers: { Authorization: `Bearer ${receiver.account.apiKey}` },
      });
      expect(JSON.parse(acknowledged.body.toString()).data).toHaveLength(1);
    },
  },
  'Ask for files': {
    on: 'sender',
    async after({ sender, receiver }) {
      const { history } = await sender.readHistory();
      expect(history.map(({ receivers }) => receivers.map(({ email }) => email))).toEqual([[receiver.user]]);
    },
  },
  'Follow what happens': {
    on: 'sender',
    before: sendReport,
    async after({ receiver, output }) {
      expect(output).toMatch(new RegExp(`drop\\.created|${receiver.user}`));
    },
  },
  'Wait for the receivers': {
    on: 'sender',
    async meanwhile(receiver, signal) {
      using machine = new Machine(receiver);
      await machine.run('sh', 'waybill pull --watch in', signal).catch(() => undefined);
    },
    async after({ output, receiver }) {
      expect(output).toMatch(/Every receiver has downloaded every file|is completed\.|^drop\.completed\n$/);
      const found = await receiver.plain('GET', '/api/v1/inbox?external_id=order-4711', {
        headers: { Authorization: `Bearer ${receiver.account.apiKey}` },
      });
      expect(JSON.parse(found.body.toString()).data).toHaveLength(1);
    },
  },
  'Give a program its own key': {
    on: 'sender',
    async after({ output }) {
      expect(output).toMatch(/wb_\w+/);
    },
  },
};

test('every guide shows all three ways', () => {
  const ways = Object.groupBy(blocks, ({ guide }) => guide);
  expect(Object.keys(ways)).toEqual(Object.keys(guides));
  for (const [guide, shown = []] of Object.entries(ways)) {
    expect(
      shown.map(({ way }) => way),
      guide,
    ).toEqual(['the command', 'the SDK', 'curl']);
  }
});

test.each(blocks)('$guide with $way', async ({ guide, language, code }) => {
  const { on, before, meanwhile, after } = guides[guide] ?? {};
  const [sender, receiver] = await Promise.all([freshClient('guide-a'), freshClient('guide-b')]);
  await before?.({ sender, receiver });
  using machine = new Machine(on === 'receiver' ? receiver : sender);
  if (on === 'receiver') rmSync(join(machine.folder, 'report.pdf'));
  const stop = new AbortController();
  const other = meanwhile?.(receiver, stop.signal);
  let output: Awaited<ReturnType<Machine['run']>>;
  try {
    output = await machine.run(language, code.replaceAll('anna@example.com', receiver.user));
  } finally {
    stop.abort();
    await other;
  }
  await after?.({ sender, receiver, machine, output });
});

test('the code for the SDK compiles in strict TypeScript', async () => {
  using machine = new Machine(await freshClient('guide-c'));
  const paths = blocks.flatMap(({ language, code }, index) => {
    if (language !== 'ts') return [];
    writeFileSync(join(machine.folder, `${index}.ts`), code);
    return [`${index}.ts`];
  });
  symlinkSync(join(project, 'node_modules/@types'), join(machine.folder, 'node_modules/@types'));
  const options = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--target',
    'esnext',
    '--types',
    'node',
  ];
  const compiled = run(join(project, 'node_modules/.bin/tsc'), [...options, ...paths], { cwd: machine.folder });
  expect((await compiled.catch((error: { stdout: string }) => error)).stdout).toBe('');
}, 120_000);
