import type { Engines } from '../domain/ports.ts';
import { sendMailTask } from './send-mail.ts';
import { sweepTask } from './sweep.ts';

type Task = (payload: unknown, signal: AbortSignal) => Promise<void>;

/** Every job by its name, ready to be given payloads. */
export function tasks(engines: Engines): Record<string, Task> {
  return {
    [sendMailTask.name]: (payload) => sendMailTask.run(engines, sendMailTask.parse(payload)),
    [sweepTask.name]: (_payload, signal) => sweepTask.run(engines, signal),
  };
}

export const everyMinute = [sweepTask.name];
