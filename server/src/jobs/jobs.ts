import type { Engines } from '../domain/engines.ts';
import { checkUploadTask } from './check-upload.ts';
import { deliverEventsTask } from './deliver-events.ts';
import { recoverPersonTask } from './recover-person.ts';
import { sendMessageTask } from './send-message.ts';
import { sendPersonLinkTask } from './send-person-link.ts';
import { sendPublicLinkTask } from './send-public-link.ts';
import { sendSignInNoticeTask } from './send-sign-in-notice.ts';
import { tellOwnerTask } from './tell-owner-of-webhook.ts';

type Tasks = Record<string, (payload: unknown, signal: AbortSignal) => Promise<void>>;

/** Every job by its name, ready to be given payloads. */
export function tasks(engines: Engines): Tasks {
  return {
    [sendMessageTask.name]: (payload) => sendMessageTask.run(engines, sendMessageTask.parse(payload)),
    [recoverPersonTask.name]: (payload) => recoverPersonTask.run(engines, recoverPersonTask.parse(payload)),
    [sendPersonLinkTask.name]: (payload) => sendPersonLinkTask.run(engines, sendPersonLinkTask.parse(payload)),
    [sendPublicLinkTask.name]: (payload) => sendPublicLinkTask.run(engines, sendPublicLinkTask.parse(payload)),
    [sendSignInNoticeTask.name]: (payload) => sendSignInNoticeTask.run(engines, sendSignInNoticeTask.parse(payload)),
    [tellOwnerTask.name]: (payload) => tellOwnerTask.run(engines, tellOwnerTask.parse(payload)),
  };
}

/** Jobs that may take hours run beside the others, because a person may be waiting for a code. */
export function longTasks(engines: Engines): Tasks {
  return {
    [checkUploadTask.name]: (payload, signal) => checkUploadTask.run(engines, checkUploadTask.parse(payload), signal),
  };
}

/** Receivers of events may be slow, and must not keep messages waiting. */
export function webhookTasks(engines: Engines): Tasks {
  return {
    [deliverEventsTask.name]: (payload, signal) =>
      deliverEventsTask.run(engines, deliverEventsTask.parse(payload), signal),
  };
}
