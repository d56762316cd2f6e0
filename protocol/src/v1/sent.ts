import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { pageParameters } from './page.ts';
import { Time } from './time.ts';

/** What drops and requests for files have in common. */

export const Nullable = <Schema extends Parameters<typeof Type.Union>[0][number]>(
  schema: Schema,
  description?: string,
) => Type.Union([schema, Type.Null()], description === undefined ? {} : { description });

const SecondFactor = Type.Enum(['off', 'mail', 'sms']);
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
const Deadline = Type.String({ ...Time, description: 'When it ends, as a time such as 2030-01-31T12:00:00Z.' });

export const NewReceiver = Type.Object(
  {
    email: Type.String({ minLength: 1, maxLength: limits.emailLength }),
    name: Type.Optional(Type.String({ maxLength: limits.nickLength })),
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
  receivers: Type.Array(NewReceiver, { minItems: 1, maxItems: limits.receiversPerDispatch }),
  message: Type.Optional(Type.String({ maxLength: limits.messageLength })),
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
  id: Type.String({ format: 'uuid' }),
  number: Type.String({ description: 'The short number that pages and mails show, such as WB-7F3K-29QD.' }),
  state: Type.Enum(['live', 'expired', 'revoked']),
  message: Type.String(),
  reference: Nullable(Type.String()),
  metadata: Nullable(Type.Record(Type.String(), Type.String())),
  second_factor: Nullable(SecondFactor, 'Null: what applies to the account.'),
  notify: Type.Boolean(),
  created_at: Time,
  expires_at: Time,
  revoked_at: Nullable(Time),
  receiver_count: Type.Integer(),
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
    created_after: Type.Optional(Type.String({ ...Time, description: 'Made at this time or later.' })),
    created_before: Type.Optional(Type.String({ ...Time, description: 'Made before this time.' })),
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
  email: Type.String(),
  name: Nullable(Type.String()),
  phone: Type.String(),
  language: Type.String(),
  notified_at: Nullable(Time, 'When the mail server accepted the invitation.'),
  undeliverable_at: Nullable(Time),
  undeliverable_reason: Nullable(Type.String(), 'What the mail server said.'),
  opened_at: Nullable(Time, 'When they opened their link.'),
  revoked_at: Nullable(Time, 'When their link was withdrawn.'),
};

export const AddedReceiver = Type.Object({
  id: Type.Integer(),
  email: Type.String(),
  link: Type.Optional(
    Type.String({
      format: 'uri',
      description: 'The link, if no mails are sent (`notify: false`). It is shown only once.',
    }),
  ),
});

/** Of the only answer that has the links of all receivers. */
export const createdReceivers = {
  receivers: Type.Array(AddedReceiver, { maxItems: limits.receiversPerDispatch }),
};

/** Of what a dry run answers. */
export const checkedProperties = {
  dry_run: Type.Literal(true),
  receiver_count: Type.Integer(),
  expires_in: Type.Number({ description: 'In seconds.' }),
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
