import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { Page, pageParameters } from './page.ts';
import { Time } from './time.ts';

const Nullable = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });

const DropState = Type.Enum(['live', 'expired', 'revoked']);
const SecondFactor = Type.Enum(['off', 'mail', 'sms']);
const Reference = Type.String({
  minLength: 1,
  maxLength: limits.referenceLength,
  description: 'Your own name for the drop, by which you can find it. It need not be unique.',
});
const Metadata = Type.Record(
  Type.String({ pattern: `^[A-Za-z0-9_.-]{1,${limits.metadataNameLength}}$` }),
  Type.String({ maxLength: limits.metadataValueLength }),
  {
    maxProperties: limits.metadataEntries,
    additionalProperties: false,
    description: 'What you want to keep with the drop: texts by name. Receivers do not see it.',
  },
);
const Seconds = Type.Integer({ minimum: 1, maximum: 4_000_000_000, description: 'In how many seconds the drop ends.' });
const Deadline = Type.String({ ...Time, description: 'When the drop ends, as a time such as 2030-01-31T12:00:00Z.' });

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

/** POST /drops. */
export const NewDrop = Type.Object(
  {
    uploads: Type.Array(Type.String({ format: 'uuid' }), {
      minItems: 1,
      maxItems: limits.filesPerDraft,
      description: 'The ids of uploads that are ready. They become the files of the drop.',
    }),
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
  },
  { additionalProperties: false },
);
export type NewDrop = Static<typeof NewDrop>;

export const NewDropQuery = Type.Object(
  { dry_run: Type.Optional(Type.Boolean({ description: 'True: everything is checked and nothing is changed.' })) },
  { additionalProperties: false },
);

/** A drop as lists have it. */
export const Drop = Type.Object({
  id: Type.String({ format: 'uuid' }),
  number: Type.String({ description: 'The short number that pages and mails show, such as WB-7F3K-29QD.' }),
  state: DropState,
  message: Type.String(),
  reference: Nullable(Type.String()),
  metadata: Nullable(Type.Record(Type.String(), Type.String())),
  second_factor: Nullable(SecondFactor, 'Null: what applies to the account.'),
  notify: Type.Boolean(),
  created_at: Time,
  expires_at: Time,
  revoked_at: Nullable(Time),
  receiver_count: Type.Integer(),
  file_count: Type.Integer(),
});
export type Drop = Static<typeof Drop>;

export const DropList = Page(Drop);

export const DropQuery = Type.Object(
  {
    ...pageParameters,
    state: Type.Optional(
      Type.Enum(['live', 'expired', 'revoked'], {
        description: 'A drop is listed as expired within a minute of its deadline.',
      }),
    ),
    receiver: Type.Optional(
      Type.String({ minLength: 1, maxLength: limits.emailLength, description: 'The address of one of the receivers.' }),
    ),
    reference: Type.Optional(Reference),
    created_after: Type.Optional(Type.String({ ...Time, description: 'Drops made at this time or later.' })),
    created_before: Type.Optional(Type.String({ ...Time, description: 'Drops made before this time.' })),
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: limits.emailLength,
        description:
          'Finds drops by what is known of them: the number, the reference or a receiver’s address, each in full. Not together with receiver or reference.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type DropQuery = Static<typeof DropQuery>;

export const DropReceiver = Type.Object({
  id: Type.Integer({ description: 'Which receiver of the drop it is.' }),
  email: Type.String(),
  name: Nullable(Type.String()),
  phone: Type.String(),
  language: Type.String(),
  state: Type.Enum(['waiting', 'notified', 'undeliverable', 'opened', 'completed', 'revoked']),
  notified_at: Nullable(Time, 'When the mail server accepted the invitation.'),
  undeliverable_at: Nullable(Time),
  undeliverable_reason: Nullable(Type.String(), 'What the mail server said.'),
  opened_at: Nullable(Time, 'When they opened their link.'),
  completed_at: Nullable(Time, 'When every file had been sent to them in full.'),
  revoked_at: Nullable(Time, 'When their link was withdrawn.'),
  files_delivered: Type.Integer({ description: 'How many files were sent to them in full.' }),
});

const DropFile = Type.Object({
  id: Type.String({ format: 'uuid' }),
  name: Type.String(),
  path: Type.String({ description: 'Where it is in the folder that was sent, with its name.' }),
  media_type: Type.String(),
  size: Type.Integer({ description: 'In bytes.' }),
  sha256: Type.String({ description: 'In hexadecimal digits.' }),
  scan: Type.Enum(['clean', 'unscanned']),
  state: Type.Enum(['available', 'deleted']),
  receivers_delivered: Type.Integer({ description: 'To how many receivers it was sent in full.' }),
});

/** GET /drops/:id. */
export const DropDetails = Type.Object({
  ...Drop.properties,
  deliveries_forgotten: Type.Boolean({
    description:
      'What receivers did was removed for its age (WAYBILL_DELIVERY_DAYS): its times and counts are unknown.',
  }),
  receivers: Type.Array(DropReceiver, { maxItems: limits.receiversPerDispatch }),
  files: Type.Array(DropFile, { maxItems: limits.filesPerDraft }),
});

const Link = Type.Optional(
  Type.String({
    format: 'uri',
    description: 'The link, if the drop was made with `notify: false`. It is shown only once.',
  }),
);

/** The only answer that has links. */
export const CreatedDrop = Type.Object({
  ...Drop.properties,
  receivers: Type.Array(Type.Object({ id: Type.Integer(), email: Type.String(), link: Link }), {
    maxItems: limits.receiversPerDispatch,
  }),
});

/** What a dry run answers. */
export const CheckedDrop = Type.Object({
  dry_run: Type.Literal(true),
  receiver_count: Type.Integer(),
  file_count: Type.Integer(),
  size: Type.Integer({ description: 'Of all files, in bytes.' }),
  expires_in: Type.Number({ description: 'In seconds.' }),
});

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
    description: 'How many receivers get a reminder: those who can be reached and have not everything.',
  }),
});

export const AddedReceiver = Type.Object({ id: Type.Integer(), email: Type.String(), link: Link });
