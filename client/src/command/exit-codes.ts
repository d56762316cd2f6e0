/** The exit codes, which docs/client.md and `waybill --help` list. */
export const exitCodes = {
  success: 0,
  failed: 1,
  usage: 2,
  account: 3,
  refused: 4,
  temporary: 5,
  damaged: 6,
  infected: 7,
  incomplete: 8,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** A failure of the command itself, with advice. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exit: ExitCode;
  readonly code: string;
  readonly next: string;

  constructor(exit: ExitCode, code: string, message: string, next: string) {
    super(message);
    this.exit = exit;
    this.code = code;
    this.next = next;
  }
}
