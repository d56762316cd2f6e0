import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { fakeTerminal } from '../../testing/fake-terminal.ts';
import { SilentExit } from '../exit-codes.ts';
import { ask } from './ask.ts';

const never = new AbortController().signal;

function atTerminal() {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  const terminal = Object.assign(fakeTerminal('/nonexistent'), { input });
  terminal.errors.isTTY = true;
  return terminal;
}

test.each([
  [false, 'Revoke it? '],
  [true, 'API key: '],
])('Ctrl-C at a question (hidden: %s) changes nothing, and says so in the next line', async (hidden, question) => {
  const terminal = atTerminal();
  terminal.errors.onWrite = (text) => {
    if (text.endsWith(question)) setImmediate(() => terminal.input.write('\u0003'));
  };
  const error = await ask(terminal, never, question, hidden).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SilentExit);
  expect(error).toMatchObject({ exit: 130 });
  const [, after = ''] = terminal.errors.text.split(question);
  expect(after.split('\n').slice(1)).toEqual(['Nothing was changed.', '']);
});
