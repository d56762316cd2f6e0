import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import type { Told } from './exits.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

type Screen = Writable & { isTTY?: boolean; columns?: number };

/** Where a command reads and writes. */
export interface Terminal {
  input: Readable & { isTTY?: boolean };
  output: Screen;
  /** For people: progress, notices and failures. */
  errors: Screen;
  environment: Environment;
  homeFolder: string;
}

/** The output of a command: sentences for people, or JSON, one value per line. */
export class Answers {
  readonly #terminal: Terminal;
  readonly #json: boolean;

  constructor(terminal: Terminal, json: boolean) {
    this.#terminal = terminal;
    this.#json = json;
  }

  /** Waits for a slow reader. */
  async say(text: string, value: unknown): Promise<void> {
    const line = this.#json ? JSON.stringify(value) : printable(text);
    if (!this.#terminal.output.write(`${line}\n`)) await once(this.#terminal.output, 'drain');
  }

  /** For people only, beside the output proper. */
  notice(text: string): void {
    if (!this.#json) this.#terminal.errors.write(`${printable(text)}\n`);
  }

  fail({ code, message, next, requestId }: Told): void {
    const { errors } = this.#terminal;
    if (this.#json) {
      errors.write(`${JSON.stringify({ status: 'error', code, message, next, request_id: requestId })}\n`);
      return;
    }
    const request = requestId === undefined ? '' : ` (request ${requestId})`;
    errors.write(printable(`waybill: ${message}${request}`));
    errors.write(`\n         ${printable(next)}\n`);
  }
}

/** Names and messages come from others: characters that control a terminal or reverse the text are replaced. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}|[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}
