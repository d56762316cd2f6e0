import type { Engines } from '../domain/ports/index.ts';
import { checkUploadTask } from './check-upload.ts';
import { sendMessageTask } from './send-message.ts';

type Tasks = Record<string, (payload: unknown, signal: AbortSignal) => Promise<void>>;

/** Every job by its name, ready to be given payloads. */
export function tasks(engines: Engines): Tasks {
  return {
    [sendMessageTask.name]: (payload) => sendMessageTask.run(engines, sendMessageTask.parse(payload)),
  };
}

/** Jobs that may take hours, to be done beside the others: somebody waits for a code meanwhile. */
export function longTasks(engines: Engines): Tasks {
  return {
    [checkUploadTask.name]: (payload, signal) => checkUploadTask.run(engines, checkUploadTask.parse(payload), signal),
  };
}
