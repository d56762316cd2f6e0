import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Logger } from 'pino';
import type { ServiceEnvironment } from '../config/service-environment.ts';

/** How long the message to systemd may take. */
const deadlineMs = 10_000;

/** Reports of a service to the supervisor that started it. Without systemd, nothing happens. */
export interface ServiceManager {
  /** Requests are served, or jobs are run, by this process, which is the main process of its unit from now on. */
  ready(): Promise<void>;
  stopping(): Promise<void>;
  /** Ends the reports that this process is alive: another process is watched from now on. */
  endWatch(): void;
}

/** Node has no datagram sockets of the Unix domain, so systemd's own command sends the messages. */
export function connectServiceManager(
  { notifySocket, watchdogMs }: ServiceEnvironment,
  log: Logger,
  run: (words: string[], env: NodeJS.ProcessEnv) => Promise<unknown> = runNotify,
): ServiceManager {
  let watch: NodeJS.Timeout | undefined;
  const notify = async (...words: string[]) => {
    if (notifySocket === undefined) return;
    await run(words, { NOTIFY_SOCKET: notifySocket, PATH: '/usr/bin:/bin' }).catch((err: unknown) =>
      isEndedBySystemd(err)
        ? undefined
        : log.warn({ err }, 'systemd-notify failed: systemd does not know the state of this process'),
    );
  };
  return {
    async ready() {
      await notify('--ready', `--pid=${process.pid}`);
      // Several reports fit into the time after which systemd gives this process up.
      if (watchdogMs !== undefined) watch = setInterval(() => void notify('WATCHDOG=1'), watchdogMs / 3).unref();
    },
    stopping: () => notify('STOPPING=1'),
    endWatch: () => clearInterval(watch),
  };
}

/** While systemd stops a unit, it ends every process of the unit that begins meanwhile, and knows the state itself. */
function isEndedBySystemd(error: unknown): boolean {
  const { signal, killed } = error as { signal?: string | null; killed?: boolean };
  return signal === 'SIGTERM' && killed === false;
}

async function runNotify(words: string[], env: NodeJS.ProcessEnv): Promise<void> {
  await promisify(execFile)('systemd-notify', words, { env, timeout: deadlineMs });
}
