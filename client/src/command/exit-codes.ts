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
  unproven: 9,
  untrusted: 10,
  waiting: 11,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Ends a command without a message. */
export class SilentExit extends Error {
  override readonly name = 'SilentExit';
  readonly exit: ExitCode;

  constructor(exit: ExitCode) {
    super();
    this.exit = exit;
  }
}

/** Runs an endless command, which the user ends with Ctrl-C: that is not a failure. */
export async function untilInterrupted(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw signal.aborted ? new SilentExit(exitCodes.interrupted) : error;
  }
}

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
