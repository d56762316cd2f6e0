import { Readable, Writable } from 'node:stream';
import type { Terminal } from '../command/terminal.ts';

class Paper extends Writable {
  text = '';
  isTTY = false;
  columns = 80;

  override _write(piece: Buffer, _encoding: string, written: () => void): void {
    this.text += piece.toString();
    written();
  }
}

export interface FakeTerminal extends Terminal {
  output: Paper;
  errors: Paper;
}

/** A terminal whose home is a folder of the test's own. */
export function fakeTerminal(homeFolder: string, environment: Record<string, string> = {}, input = ''): FakeTerminal {
  return {
    input: Readable.from([Buffer.from(input)]),
    output: new Paper(),
    errors: new Paper(),
    environment,
    homeFolder,
  };
}
