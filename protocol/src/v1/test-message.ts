import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { Page, pageParameters } from './page.ts';
import { describeId, describeTime, Nullable } from './values.ts';

/** The message kinds of a test account. */
export const testMessageKinds = [
  'invitation',
  'reminder',
  'code',
  'receipt',
  'received',
  'confirmation',
  'undeliverable',
  'more_time',
  'send_again',
  'report',
  'webhook_disabled',
  'entries_parked',
] as const;
export const TestMessageKind = Type.Enum([...testMessageKinds], {
  type: 'string',
  description:
    'The reason for a message. To receivers and contacts: invitation: the link; reminder: the link again, before the deadline; code: the code that they enter besides; confirmation: their files were sent. To the account: receipt: a receiver has everything; received: files arrived; undeliverable: mails do not reach a receiver; more_time and send_again: a receiver asks for it; webhook_disabled; entries_parked. report: to the operator.',
});

export const ListTestMessagesQuery = Type.Object(
  {
    ...pageParameters,
    to: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: limits.emailLength,
        description: 'Only those to this address or telephone number.',
      }),
    ),
    kind: Type.Optional(TestMessageKind),
    drop_id: Type.Optional(Type.String({ format: 'uuid', description: 'Only those about this drop.' })),
    request_id: Type.Optional(Type.String({ format: 'uuid', description: 'Only those about this request for files.' })),
    since: Type.Optional(
      Type.String({ format: 'uuid', description: 'The `id` of a message: only those that were kept later.' }),
    ),
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: limits.eventWaitSeconds,
        description: 'Seconds to wait for a message if there is none; 0 if not given.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const TestMessage = Type.Object(
  {
    id: describeId('Identifier of the message.'),
    kind: TestMessageKind,
    channel: Type.Enum(['mail', 'sms'], { description: 'The way it would have been sent.' }),
    to: Type.String({ description: 'The address or telephone number to which it would have been sent.' }),
    drop_id: Nullable(Type.String({ format: 'uuid' }), 'The drop that it is about, if any.'),
    request_id: Nullable(Type.String({ format: 'uuid' }), 'The request for files that it is about, if any.'),
    subject: Nullable(Type.String(), 'The subject of a mail; null for an SMS.'),
    text: Type.String({ description: 'The text. A mail has it in HTML, too.' }),
    link: Nullable(Type.String(), 'The personal link in the text, if any: whoever has it acts as the receiver.'),
    code: Nullable(Type.String(), 'The code in the text, if any.'),
    created_at: describeTime('When it was kept.'),
  },
  { description: 'A mail or SMS of a test account, which was kept instead of sent.' },
);
export type TestMessage = Static<typeof TestMessage>;

export const TestMessagePage = Page(TestMessage, 'Kept mails and SMS, the newest first.');
