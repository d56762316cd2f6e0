import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeExchange } from '../../testing/fake-exchange.ts';
import { fakeTerminal } from '../../testing/fake-terminal.ts';
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
