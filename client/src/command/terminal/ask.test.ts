import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { fakeTerminal } from '../../testing/fake-terminal.ts';
import { SilentExit } from '../exit-codes.ts';
import { confirm } from './ask.ts';

const never = new AbortController().signal;

function atTerminal() {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  const terminal = Object.assign(fakeTerminal('/nonexistent'), { input });
  terminal.errors.isTTY = true;
  return terminal;
}

test('Ctrl-C at a question changes nothing, and says so in a line of its own', async () => {
  const terminal = atTerminal();
  terminal.errors.onWrite = (text) =>
    void (text.endsWith('[y/N] ') && setImmediate(() => terminal.input.write('\u0003')));
  const error = await confirm(terminal, never, 'Revoke it?', undefined).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SilentExit);
  expect(error).toMatchObject({ exit: 130 });
  expect(terminal.errors.text).toMatch(/Revoke it\? \[y\/N\] .*\nNothing was changed\.\n$/s);
});
