import { type Static, type TObject, type TProperties, Type } from 'typebox';
import { Parse } from 'typebox/value';
import type { Engines } from '../domain/engines.ts';
import { tellOfParkedEntries, tellOfParkedJob } from '../domain/inbox/report-parked.ts';
import { sendMessage, sendMessageJob } from '../domain/outbox/send-message.ts';
import { recoverPerson, recoverPersonJob } from '../domain/people/recover-person.ts';
import {
  sendPersonLink,
  sendPersonLinkJob,
  sendSignInNotice,
  sendSignInNoticeJob,
} from '../domain/people/send-person-mails.ts';
import { sendPublicLink, sendPublicLinkJob } from '../domain/public-page/send-public-link.ts';
import { checkUpload, checkUploadJob } from '../domain/uploads/check-upload.ts';
import { deliverEvents, deliverEventsJob } from '../domain/webhooks/deliver-events.ts';
import { tellOwner, tellOwnerJob } from '../domain/webhooks/tell-owner.ts';

type Task = (payload: unknown, signal: AbortSignal) => Promise<void>;
type Tasks = Record<string, Task>;

/** Makes a task that refuses payloads of any other shape. */
function task<Fields extends TProperties>(
  fields: Fields,
  run: (payload: Static<TObject<Fields>>, signal: AbortSignal) => Promise<void>,
): Task {
  const Payload = Type.Object(fields);
  return (payload, signal) => run(Parse(Payload, payload), signal);
}

const text = Type.String();

/** Every job by its name, ready to be given payloads. */
export function tasks(engines: Engines): Tasks {
  return {
    [sendMessageJob]: task({ accountId: text, messageId: text }, ({ accountId, messageId }) =>
      sendMessage(engines, accountId, messageId),
    ),
    [recoverPersonJob]: task({ email: text }, ({ email }) => recoverPerson(engines, email)),
    [sendPersonLinkJob]: task({ linkId: text }, ({ linkId }) => sendPersonLink(engines, linkId)),
    [sendPublicLinkJob]: task(
      { accountId: text, email: text, name: text, language: text },
      ({ accountId, ...visitor }) => sendPublicLink(engines, accountId, visitor),
    ),
    [sendSignInNoticeJob]: task(
      {
        id: text,
        personId: text,
        address: text,
        userAgent: text,
        at: text,
        added: Type.Optional(
          Type.Union([
            Type.Object({ kind: Type.Literal('password') }),
            Type.Object({ kind: Type.Literal('passkey'), name: text }),
            Type.Object({ kind: Type.Literal('identity'), provider: text, label: text }),
          ]),
        ),
      },
      ({ at, ...notice }) => sendSignInNotice(engines, { ...notice, at: new Date(at) }),
    ),
    [tellOwnerJob]: task({ accountId: text, webhookId: text, messageId: text }, ({ accountId, webhookId, messageId }) =>
      tellOwner(engines, accountId, webhookId, messageId),
    ),
    [tellOfParkedJob]: task({ accountId: text, messageId: text }, ({ accountId, messageId }) =>
      tellOfParkedEntries(engines, accountId, messageId),
    ),
  };
}

/** Jobs that may take hours run beside the others, because a person may be waiting for a code. */
export function longTasks(engines: Engines): Tasks {
  return {
    [checkUploadJob]: task({ accountId: text, fileId: text }, ({ accountId, fileId }, signal) =>
      checkUpload(engines, accountId, fileId, signal),
    ),
  };
}

/** Receivers of events may be slow, and must not keep messages waiting. */
export function webhookTasks(engines: Engines): Tasks {
  return {
    [deliverEventsJob]: task({ accountId: text, webhookId: text }, ({ accountId, webhookId }, signal) =>
      deliverEvents(engines, accountId, webhookId, signal),
    ),
  };
}
