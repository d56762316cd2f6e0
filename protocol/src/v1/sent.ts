import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { pageParameters } from './page.ts';
import { Time, timeOf } from './time.ts';

/** What drops and requests for files have in common. */

export const Nullable = <Schema extends Parameters<typeof Type.Union>[0][number]>(
  schema: Schema,
  description?: string,
) => Type.Union([schema, Type.Null()], description === undefined ? {} : { description });

const Reference = Type.String({
  minLength: 1,
  maxLength: limits.referenceLength,
  description: 'Your own name for it, by which you can find it. It need not be unique.',
});
const Metadata = Type.Record(
  Type.String({ pattern: `^[A-Za-z0-9_.-]{1,${limits.metadataNameLength}}$` }),
  Type.String({ maxLength: limits.metadataValueLength }),
  {
    maxProperties: limits.metadataEntries,
    additionalProperties: false,
    description: 'What you want to keep with it: texts by name. Receivers do not see it.',
  },
);
const Seconds = Type.Integer({ minimum: 1, maximum: 4_000_000_000, description: 'In how many seconds it ends.' });
const Deadline = timeOf('When it ends, as a time such as 2030-01-31T12:00:00Z.');

export const NewReceiver = Type.Object(
  {
    email: Type.String({ minLength: 1, maxLength: limits.emailLength, description: 'The e-mail address.' }),
    name: Type.Optional(Type.String({ maxLength: limits.nickLength, description: 'Who it is, for the account.' })),
    phone: Type.Optional(
      Type.String({
        maxLength: 40,
        description: 'For codes by SMS: 7 to 15 digits, the country code first, without + or 00.',
      }),
    ),
    language: Type.Optional(
      Type.String({ maxLength: limits.languageLength, description: 'Of mails and pages, such as en or pt-BR.' }),
    ),
  },
  { additionalProperties: false },
);
export type NewReceiver = Static<typeof NewReceiver>;

/** Of the body that makes one. */
export const newSentProperties = {
  receivers: Type.Array(NewReceiver, {
    minItems: 1,
    maxItems: limits.receiversPerDispatch,
    description: 'one or more receivers; they need not be contacts',
  }),
  message: Type.Optional(
    Type.String({ maxLength: limits.messageLength, description: 'What receivers read in the mail and on their page.' }),
  ),
  expires_in: Type.Optional(Seconds),
  expires_at: Type.Optional(Deadline),
  second_factor: Type.Optional(
    Type.Enum(['off', 'mail', 'sms'], {
      description:
        'Where receivers get a code; what applies to the account if not given. It may not be less than that.',
    }),
  ),
  notify: Type.Optional(
    Type.Boolean({
      description: 'False: receivers get no mails, and the answer has their links. True if not given.',
    }),
  ),
  reference: Type.Optional(Reference),
  metadata: Type.Optional(Metadata),
};

export const NewSentQuery = Type.Object(
  { dry_run: Type.Optional(Type.Boolean({ description: 'True: everything is checked and nothing is changed.' })) },
  { additionalProperties: false },
);

/** As lists have it. */
export const sentProperties = {
  id: Type.String({ format: 'uuid', description: 'Which one it is.' }),
  number: Type.String({ description: 'The short number that pages and mails show, such as WB-7F3K-29QD.' }),
  state: Type.Enum(['live', 'expired', 'revoked'], { description: 'Whether its links can be used, or why not.' }),
  message: Type.String({ description: 'What receivers read; may be empty.' }),
  reference: Nullable(Type.String(), 'Your own name for it, if it has one.'),
  metadata: Nullable(Type.Record(Type.String(), Type.String()), 'What you wanted to keep with it, if anything.'),
  second_factor: Type.Enum(['off', 'mail', 'sms'], {
    description:
      'Where receivers get a code now: what was chosen for it, or what applies to the account if that is more.',
  }),
  notify: Type.Boolean({ description: 'Whether receivers get mails.' }),
  created_at: timeOf('When it was sent.'),
  expires_at: timeOf('When it ends, or ended.'),
  revoked_at: Nullable(Time, 'When it was revoked; null if it was not.'),
  receiver_count: Type.Integer({ description: 'How many receivers it has.' }),
};

/** Which of them a list has. */
export const SentQuery = Type.Object(
  {
    ...pageParameters,
    state: Type.Optional(
      Type.Enum(['live', 'expired', 'revoked'], {
        description: 'What ends is listed as expired within a minute of its deadline.',
      }),
    ),
    receiver: Type.Optional(
      Type.String({ minLength: 1, maxLength: limits.emailLength, description: 'The address of one of the receivers.' }),
    ),
    reference: Type.Optional(Reference),
    created_after: Type.Optional(timeOf('Made at this time or later.')),
    created_before: Type.Optional(timeOf('Made before this time.')),
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: limits.emailLength,
        description:
          'Finds them by what is known of them: the number, the reference or a receiver’s address, each in full. Not together with receiver or reference.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const receiverProperties = {
  id: Type.Integer({ description: 'Which of the receivers it is.' }),
  email: Type.String({ description: 'The e-mail address.' }),
  name: Nullable(Type.String(), 'Who it is; null if not known.'),
  phone: Type.String({ description: 'For codes by SMS, in digits; empty if not known.' }),
  language: Type.String({ description: 'Of mails and pages; empty if not known.' }),
  notified_at: Nullable(Time, 'When the mail server accepted the invitation.'),
  undeliverable_at: Nullable(Time, 'When the mail server refused or returned the invitation.'),
  undeliverable_reason: Nullable(Type.String(), 'What the mail server said.'),
  opened_at: Nullable(Time, 'When they opened their link.'),
  revoked_at: Nullable(Time, 'When their link was withdrawn.'),
};

export const AddedReceiver = Type.Object({
  id: Type.Integer({ description: 'Which of the receivers it is.' }),
  email: Type.String({ description: 'The e-mail address.' }),
  link: Type.Optional(
    Type.String({
      format: 'uri',
      description: 'The link, if no mails are sent (`notify: false`). It is shown only once.',
    }),
  ),
});

/** Of the only answer that has the links of all receivers. */
export const createdReceivers = {
  receivers: Type.Array(AddedReceiver, {
    maxItems: limits.receiversPerDispatch,
    description: 'The receivers, with their links if no mails are sent.',
  }),
};

/** Of what a dry run answers. */
export const checkedProperties = {
  dry_run: Type.Literal(true, { description: 'Nothing was sent.' }),
  receiver_count: Type.Integer({ description: 'How many receivers it would have.' }),
  expires_in: Type.Number({ description: 'For how many seconds its links could be used.' }),
};

export const Revocation = Type.Object(
  {
    receiver: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: limits.receiversPerDispatch - 1,
        description: 'The `id` of a receiver: only their link ends.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const Extension = Type.Object(
  { expires_in: Type.Optional(Seconds), expires_at: Type.Optional(Deadline) },
  { additionalProperties: false },
);

export type Extension = Static<typeof Extension>;

export const Reminded = Type.Object({
  reminded: Type.Integer({
    description: 'How many receivers get a reminder: those who can be reached and for whom something is left to do.',
  }),
});
