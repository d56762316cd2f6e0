import { PassThrough, Readable, Writable } from 'node:stream';
import type { Terminal } from '../command/terminal/terminal.ts';

class CapturedScreen extends Writable {
  text = '';
  isTTY = false;
  columns = 80;

  onWrite: ((text: string) => void) | undefined;

  override _write(piece: Buffer, _encoding: string, written: () => void): void {
    this.text += piece.toString();
    this.onWrite?.(piece.toString());
    written();
  }
}

export interface FakeTerminal extends Terminal {
  output: CapturedScreen;
  errors: CapturedScreen;
}

/** Creates a terminal that captures its output and has its own home folder. */
export function fakeTerminal(homeFolder: string, environment: Record<string, string> = {}, input = ''): FakeTerminal {
  return {
    input: Readable.from([Buffer.from(input)]),
    output: new CapturedScreen(),
    errors: new CapturedScreen(),
    environment,
    homeFolder,
  };
}

/** Makes the terminal interactive: every prompt, which ends with a colon or `[y/N]`, gets a reply. */
export function withUserInput(terminal: FakeTerminal, reply: (question: string) => string): FakeTerminal {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  terminal.errors.isTTY = true;
  terminal.errors.onWrite = (text) => {
    if (/(?::|\? \[y\/N\]) $/.test(text)) setImmediate(() => input.write(`${reply(text)}\n`));
  };
  return Object.assign(terminal, { input });
}
