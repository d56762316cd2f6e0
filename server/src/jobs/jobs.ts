import type { Engines } from '../domain/ports.ts';
import { checkUploadTask } from './check-upload.ts';
import { sendMessageTask } from './send-message.ts';
import { sweepTask } from './sweep.ts';

type Task = (payload: unknown, signal: AbortSignal) => Promise<void>;

/** Every job by its name, ready to be given payloads. */
export function tasks(engines: Engines): Record<string, Task> {
  return {
    [sendMessageTask.name]: (payload) => sendMessageTask.run(engines, sendMessageTask.parse(payload)),
    [checkUploadTask.name]: (payload, signal) => checkUploadTask.run(engines, checkUploadTask.parse(payload), signal),
    [sweepTask.name]: (_payload, signal) => sweepTask.run(engines, signal),
  };
}

export const everyMinute = [sweepTask.name];
