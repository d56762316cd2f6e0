import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeExchange, Refusal } from '../../testing/fake-exchange.ts';
import { fakeTerminal } from '../../testing/fake-terminal.ts';
import { runOnSmallDisk } from '../../testing/small-disk.ts';
import { chunkBytes } from '../../transfer/sources.ts';
import { run } from '../run.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'client-send-'));
  writeFileSync(join(home, 'report.csv'), 'a');
});
afterEach(() => rmSync(home, { recursive: true }));

const never = new AbortController().signal;

async function send(exchange: FakeExchange, words: string, signal = never) {
  const terminal = fakeTerminal(home, {
    WAYBILL_URL: exchange.server.baseUrl,
    WAYBILL_USER: 'alpha@machines.test',
    WAYBILL_API_KEY: 'wb_key',
  });
  const exit = await run(terminal, `send ${words.replace('~', home)}`.split(' '), signal, '1');
  return { exit, output: terminal.output.text, errors: terminal.errors.text };
}

describe('standard input that is longer than one request', () => {
  const sendInput = async (exchange: FakeExchange, prepare: string) => {
    const environment = {
      PATH: process.env['PATH'],
      HOME: home,
      TMPDIR: '/mnt/temporary',
      WAYBILL_URL: exchange.server.baseUrl,
      WAYBILL_USER: 'alpha@machines.test',
      WAYBILL_API_KEY: 'wb_key',
    };
    const sending = runOnSmallDisk(['--json', 'send', '-', '--to', 'b@example.org'], prepare, environment);
    sending.child.stdin?.on('error', () => undefined).end(Buffer.alloc(chunkBytes + 1));
    const [exit] = await sending.ended;
    return { exit, report: JSON.parse(sending.errors) as unknown };
  };

  test.each([
    ['is full', 'mkdir /mnt/temporary', 'it is full'],
    ['is missing', 'true', 'it does not exist'],
  ])('is not blamed if the folder for temporary files %s', async (_how, prepare, why) => {
    await using exchange = await FakeExchange.start();
    const report = {
      status: 'error',
      code: 'temporary_folder',
      message: `A temporary file cannot be written in /mnt/temporary: ${why}.`,
      next: 'Set TMPDIR to a folder with room for all bytes that are sent.',
    };
    expect(await sendInput(exchange, prepare)).toEqual({ exit: 1, report });
  });
});

describe('send --wait', () => {
  const wait = async (exchange: FakeExchange, onWait: () => void, signal = never) => {
    exchange.onEvents = (query) => {
      if (!query.has('wait')) return [];
      onWait();
      const [, id = ''] =
        exchange.server
          .paths()
          .findLast((path) => path.startsWith('GET drops/'))
          ?.split('drops/') ?? [];
      return [{ type: 'drop.completed', data: { drop_id: id } }];
    };
    return await send(exchange, '~/report.csv --to anna@example.org --wait 1', signal);
  };

  test('ends when every receiver has downloaded every file', async () => {
    await using exchange = await FakeExchange.start();
    const { exit, output } = await wait(exchange, () => {
      exchange.receiverStates = ['completed'];
    });
    expect(exit).toBe(0);
    expect(output).toMatch(/^Sent 1 file .*\nEvery receiver has downloaded every file of WB-0000-0001\.\n$/s);
  });

  test('ends with its own exit code when the time runs out', async () => {
    await using exchange = await FakeExchange.start();
    const { exit, errors } = await wait(exchange, () => undefined);
    expect(exit).toBe(11);
    expect(errors).toContain(
      '1 of 1 receiver of WB-0000-0001 had not downloaded every file in time. The files can be downloaded until 2030-01-31 ',
    );
    expect(errors).toContain('waybill show WB-0000-0001');
  });

  test('is not advised to send again when it is interrupted', async () => {
    await using exchange = await FakeExchange.start();
    const stop = new AbortController();
    const { exit, errors } = await wait(exchange, () => stop.abort(), stop.signal);
    expect(exit).toBe(130);
    expect(errors).toContain('Interrupted; WB-0000-0001 was sent.');
    expect(errors).not.toContain('again');
    expect(records()).toEqual([]);
  });

  test.each([
    [500, 'internal', 1, 'The server encountered an unexpected error.'],
    [404, 'not_found', 4, 'This is not_found.'],
  ])('is not advised to send again after an error %s', async (status, code, expected, problem) => {
    await using exchange = await FakeExchange.start();
    exchange.refuse = ({ path }) => (path.includes('wait=') ? { status, code } : undefined);
    const { exit, errors } = await send(exchange, '~/report.csv --to anna@example.org --wait 1');
    expect(exit).toBe(expected);
    expect(errors).toContain(`WB-0000-0001 was sent, but waiting for its receivers has failed: ${problem}`);
    expect(errors).toContain('waybill show WB-0000-0001');
    expect(errors).not.toContain('again');
  });

  test('needs no key that may read events', async () => {
    await using exchange = await FakeExchange.start();
    exchange.onEvents = () => {
      throw new Refusal(403, 'scope_missing');
    };
    exchange.receiverStates = ['completed'];
    const { exit, output } = await send(exchange, '~/report.csv --to anna@example.org --wait 1');
    expect([exit, output]).toEqual([0, expect.stringContaining('Every receiver has downloaded every file')]);
    exchange.receiverStates = ['opened'];
    expect((await send(exchange, '~/report.csv --to anna@example.org --wait 1')).exit).toBe(11);
  });
});

const records = () => readdirSync(join(home, '.local/state/waybill/sends'));

describe('the same command again', () => {
  test('is not called a continuation after a refused receiver', async () => {
    await using exchange = await FakeExchange.start();
    const words = '~/report.csv --to a@example.invalid';
    expect((await send(exchange, words)).exit).toBe(4);
    expect(records()).toEqual([]);
    expect((await send(exchange, words)).errors).not.toContain('Resuming');
  });

  test('is not called a continuation after a file with a virus', async () => {
    await using exchange = await FakeExchange.start();
    const words = '~/report.csv --to a@example.org';
    exchange.refusal = 'infected';
    expect((await send(exchange, words)).exit).toBe(7);
    expect(records()).toEqual([]);
    exchange.refusal = null;
    expect(await send(exchange, words)).toMatchObject({ exit: 0, errors: '' });
  });

  test('is not called a continuation if the server did not respond to the check', async () => {
    await using exchange = await FakeExchange.start();
    const words = '~/report.csv --to a@example.org';
    const interrupted = new AbortController();
    exchange.fate = ({ path }) => {
      if (path.endsWith('/check')) interrupted.abort();
      return 'not arrived';
    };
    expect((await send(exchange, words, interrupted.signal)).exit).toBe(130);
    expect(records()).toEqual([]);
  });

  test.each(['network_not_allowed', 'scope_missing'] as const)('continues after %s, with another key', async (code) => {
    await using exchange = await FakeExchange.start();
    const words = '~/report.csv --to a@example.org';
    exchange.refusedKey = code;
    expect((await send(exchange, words)).exit).toBe(4);
    expect(records()).toHaveLength(1);
    exchange.refusedKey = undefined;
    expect(await send(exchange, words)).toMatchObject({ exit: 0, errors: expect.stringContaining('Resuming') });
    expect(exchange.received).toHaveLength(1);
  });

  test('continues an upload that was interrupted, and says so', async () => {
    await using exchange = await FakeExchange.start();
    writeFileSync(join(home, 'large.bin'), Buffer.alloc(chunkBytes * 2));
    const words = '~/large.bin --to a@example.org';
    const interrupted = new AbortController();
    exchange.fate = ({ method }) => {
      if (method !== 'PATCH') return 'responded';
      interrupted.abort();
      return 'cut off';
    };
    expect((await send(exchange, words, interrupted.signal)).exit).toBe(130);
    expect(records()).toHaveLength(1);
    exchange.fate = () => 'responded';
    const again = await send(exchange, words);
    expect(again).toMatchObject({ exit: 0, errors: 'Resuming an earlier run of this command that was interrupted.\n' });
    expect(records()).toEqual([]);
    expect(exchange.drops).toHaveLength(1);
  });
});
