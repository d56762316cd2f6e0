/** Variables that systemd sets for a service. */
export interface ServiceEnvironment {
  readonly notifySocket: string | undefined;
  /** After this time without a sign of life, systemd kills the process. */
  readonly watchdogMs: number | undefined;
  readonly runtimeDirectory: string | undefined;
  /** The device and inode of the descriptor that is connected to the journal. */
  readonly journalStream: string | undefined;
}

/** The user who ran a command by `sudo`, which anyone who may run commands can also set. */
export function readSudoUser(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const name = environment['SUDO_USER'] ?? '';
  return /^[^\s\p{C}]{1,64}$/u.test(name) ? name : undefined;
}

export function readServiceEnvironment(environment: NodeJS.ProcessEnv = process.env): ServiceEnvironment {
  return {
    notifySocket: environment['NOTIFY_SOCKET'] || undefined,
    watchdogMs: Number(environment['WATCHDOG_USEC']) / 1000 || undefined,
    runtimeDirectory: environment['RUNTIME_DIRECTORY'] || undefined,
    journalStream: environment['JOURNAL_STREAM'] || undefined,
  };
}
