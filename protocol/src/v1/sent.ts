import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { Page, pageParameters } from './page.ts';
import { describeExternalId, describeReference, describeTime, Nullable, Time } from './values.ts';

/** The properties that drops and requests for files have in common. */

const Metadata = Type.Record(
  Type.String({ pattern: `^[A-Za-z0-9_.-]{1,${limits.metadataNameLength}}$` }),
  Type.String({ maxLength: limits.metadataValueLength }),
  {
    maxProperties: limits.metadataEntries,
    additionalProperties: false,
    description: 'Your own values to keep with it: texts by name. Receivers do not see them.',
  },
);
const Seconds = Type.Integer({ minimum: 1, maximum: 4_000_000_000, description: 'Seconds until it ends.' });
const Deadline = describeTime('When it ends, as a time such as 2030-01-31T12:00:00Z.');

export const NewReceiver = Type.Object(
  {
    email: Type.String({ minLength: 1, maxLength: limits.emailLength, description: 'The e-mail address.' }),
    name: Type.Optional(
      Type.String({ maxLength: limits.nameLength, description: 'The name that the account uses for the receiver.' }),
    ),
    phone: Type.Optional(
      Type.String({
        maxLength: 40,
        description: 'For codes by SMS: 7 to 15 digits, the country code first, without + or 00.',
      }),
    ),
    language: Type.Optional(
      Type.String({
        maxLength: limits.languageLength,
        description: 'Language of mails and pages, such as en or pt-BR.',
      }),
    ),
  },
  { additionalProperties: false, description: 'A receiver of a new drop or request. Only the address is required.' },
);
export type NewReceiver = Static<typeof NewReceiver>;

/** Properties of the body that creates one. */
export const newSentProperties = {
  receivers: Type.Array(NewReceiver, {
    minItems: 1,
    maxItems: limits.receiversPerDispatch,
    description: 'one or more receivers; they need not be contacts',
  }),
  title: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.titleLength,
      description: 'One line by which you and the receivers know it: the subject of mails, and in lists.',
    }),
  ),
  message: Type.Optional(
    Type.String({
      maxLength: limits.messageLength,
      description: 'Text for the receivers, in the mail and on their page.',
    }),
  ),
  expires_in: Type.Optional(Seconds),
  expires_at: Type.Optional(Deadline),
  second_factor: Type.Optional(
    Type.Enum(['off', 'mail', 'sms'], {
      description:
        'How receivers get a code; the rule of the account if not given. It cannot be weaker than that rule.',
    }),
  ),
  passphrase: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.passphraseLength,
      description:
        'Receivers have to enter it, in addition to a code if one is required. Tell it in another way than the link: it is in no mail, and nobody can read it again. At least 12 characters without spaces and hyphens, which make no difference, nor do upper and lower case.',
    }),
  ),
  notify: Type.Optional(
    Type.Boolean({
      description: 'False: receivers get no mails, and the response contains their links. True if not given.',
    }),
  ),
  external_id: Type.Optional(
    describeExternalId(
      'Your own identifier for it, by which you can find it. It need not be unique. Accounts on this server that receive it see it in their inbox.',
    ),
  ),
  metadata: Type.Optional(Metadata),
};

/** Properties in lists. */
export const sentProperties = {
  id: Type.String({ format: 'uuid', description: 'Identifier.' }),
  reference: Type.String({ description: 'The reference that pages and mails show, such as WB-7F3K-29QD.' }),
  state: Type.Enum(['live', 'expired', 'revoked'], { description: 'Whether its links can be used, or why not.' }),
  title: Nullable(Type.String(), 'One line by which people know it; null if it has none.'),
  message: Type.String({ description: 'Text for the receivers; may be empty.' }),
  external_id: Nullable(Type.String(), 'Your own identifier for it, if it has one.'),
  metadata: Nullable(Type.Record(Type.String(), Type.String()), 'Your own values, if there are any.'),
  second_factor: Type.Enum(['off', 'mail', 'sms'], {
    description:
      'How receivers get a code now: as chosen for it, or as the rule of the account requires if that is stronger.',
  }),
  has_passphrase: Type.Boolean({ description: 'Whether receivers have to enter a passphrase.' }),
  notify: Type.Boolean({ description: 'Whether receivers get mails.' }),
  created_at: describeTime('When it was sent.'),
  expires_at: describeTime('When it ends, or ended.'),
  revoked_at: Nullable(Time, 'When it was revoked; null if it was not.'),
  receiver_count: Type.Integer({ description: 'Number of receivers.' }),
};

/** Filter of a list. */
export const SentQuery = Type.Object(
  {
    ...pageParameters,
    state: Type.Optional(
      Type.Enum(['live', 'expired', 'revoked'], {
        description: 'After its deadline, it is listed as expired within a minute.',
      }),
    ),
    receiver_email: Type.Optional(
      Type.String({ minLength: 1, maxLength: limits.emailLength, description: 'The address of one of the receivers.' }),
    ),
    external_id: Type.Optional(describeExternalId('Your own identifier for it.')),
    reference: Type.Optional(describeReference('The reference that pages and mails show, such as WB-7F3K-29QD.')),
    created_after: Type.Optional(describeTime('Created at this time or later.')),
    created_before: Type.Optional(describeTime('Created before this time.')),
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: limits.emailLength,
        description:
          'The reference, the external id or the address of a receiver, each in full. Cannot be combined with receiver_email, external_id or reference.',
      }),
    ),
    contains: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: limits.emailLength,
        description:
          'A part of the title, of the message, of the external id, of the address or name of a receiver, or of the name of a file; or one of the two groups of the reference. Upper and lower case are the same. A text of one or two characters is looked for in the newest 1,000 only. Cannot be combined with receiver_email, external_id, reference or search.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const receiverProperties = {
  id: Type.Integer({ description: 'Identifier of the receiver within the drop or request.' }),
  email: Type.String({ description: 'The e-mail address.' }),
  name: Nullable(Type.String(), 'Name of the receiver; null if not known.'),
  phone: Type.String({ description: 'For codes by SMS, in digits; empty if not known.' }),
  language: Type.String({ description: 'Language of mails and pages; empty if not known.' }),
  notified_at: Nullable(Time, 'When the mail server accepted the invitation.'),
  undeliverable_at: Nullable(Time, 'When the mail server refused or returned the invitation.'),
  undeliverable_reason: Nullable(
    Type.String(),
    'The last reply of the mail server, if it refused the invitation, or that mails cannot be sent at the moment. If undeliverable_at is null, the server tries again.',
  ),
  opened_at: Nullable(Time, 'When the receiver opened their link.'),
  revoked_at: Nullable(Time, 'When their link was revoked.'),
};

export const AddedReceiver = Type.Object(
  {
    id: Type.Integer({ description: 'Identifier of the receiver within the drop or request.' }),
    email: Type.String({ description: 'The e-mail address.' }),
    link: Type.Optional(
      Type.String({
        format: 'uri',
        description: 'The link, if no mails are sent (`notify: false`). No other response contains it.',
      }),
    ),
  },
  { description: 'A receiver of a new drop or request, or one that was added.' },
);

/** Properties of the only response with the links of all receivers. */
export const createdReceivers = {
  receivers: Type.Array(AddedReceiver, {
    maxItems: limits.receiversPerDispatch,
    description: 'The receivers, with their links if no mails are sent.',
  }),
};

/** Properties of the response to a check. */
export const checkedProperties = {
  receiver_count: Type.Integer({ description: 'Number of receivers it would have.' }),
  expires_in: Type.Number({ description: 'Seconds for which its links could be used.' }),
};

export const Extension = Type.Object(
  { expires_in: Type.Optional(Seconds), expires_at: Type.Optional(Deadline) },
  {
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 1,
    description: 'The new end: one of the two properties.',
  },
);

export type Extension = Static<typeof Extension>;

export const ReminderResult = Type.Object(
  {
    reminded: Type.Integer({
      description: 'Number of receivers who get a reminder: those who can be reached and have something left to do.',
    }),
  },
  { description: 'The result of a reminder.' },
);

export const ReceiptQuery = Type.Object(
  {
    language: Type.Optional(
      Type.String({
        maxLength: limits.languageLength,
        description: 'Language of the pages, such as en or pt-BR; by default that of the server.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const ReceiptsQuery = Type.Object(
  {
    ...pageParameters,
    reference: describeReference(
      'The reference that pages and mails show, such as WB-7F3K-29QD; or the id of the drop or request.',
    ),
    receiver_email: Type.Optional(
      Type.String({ minLength: 1, maxLength: limits.emailLength, description: 'The address of one of the receivers.' }),
    ),
  },
  { additionalProperties: false },
);

export const AvailableReceipt = Type.Object(
  {
    type: Type.Enum(['drop', 'request'], { description: 'Whether it is of a drop or of a request.' }),
    id: Type.String({ format: 'uuid', description: 'The id of the drop or request.' }),
    receiver_id: Type.Integer({ description: 'The `id` of the receiver within it.' }),
    email: Type.String({ description: 'The e-mail address.' }),
    name: Nullable(Type.String(), 'Name of the receiver; null if not known.'),
  },
  { description: 'A receipt that can be made.' },
);
export type AvailableReceipt = Static<typeof AvailableReceipt>;

export const AvailableReceiptPage = Page(AvailableReceipt, 'Receipts that can be made.');

export const Receipt = Type.Object(
  {
    type: Type.Literal('waybill-receipt@v1', { description: 'The version of the format.' }),
    drop: Type.String({ description: 'The id of the drop or request.' }),
    receiver: Type.Integer({ description: 'The position of the receiver.' }),
    issued_at: describeTime('When the receipt was made. It is not proven.'),
    checkpoints: Type.Array(Type.String(), { description: 'The signed checkpoints of the evidence log.' }),
    entries: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
      description: 'The events with their salts and proofs.',
    }),
  },
  {
    description:
      'The evidence of a delivery to one receiver. Keep it as it is, byte for byte: verifiers refuse others.',
  },
);
export type Receipt = Static<typeof Receipt>;
