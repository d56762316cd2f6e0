import { type Static, Type } from 'typebox';
import { ApiKey, KeyMode } from './api-key.ts';
import { Nullable } from './values.ts';

const Count = (description: string) => Type.Integer({ minimum: 0, description });

/** The limits that apply: the account's own value, or else that of its group, or else the server's. */
const AccountLimits = Type.Object(
  {
    file_size: Count('The size of the largest file that can be sent, in bytes: the smallest of all limits that apply.'),
    file_size_reason: Type.Enum(['file', 'storage', 'scan'], {
      description:
        'The limit that file_size is. file: the size allowed for one file; storage: stored_size; scan: the virus scanner inspects no larger file, and the server requires a scan.',
    }),
    files_per_drop: Count('How many files a drop may have.'),
    receivers_per_drop: Count('How many receivers a drop or a request may have.'),
    min_expires_in: Count('After how many seconds a drop or a request ends at the earliest.'),
    max_expires_in: Count('After how many seconds it ends at the latest.'),
    default_expires_in: Count('After how many seconds it ends by default.'),
    allowed_expires_in: Nullable(
      Type.Array(Type.Integer()),
      'The only numbers of seconds that may be chosen; null: any from the earliest to the latest.',
    ),
    stored_size: Nullable(Type.Integer(), 'How many bytes may be stored at a time; null: any number.'),
    drops_per_day: Nullable(
      Type.Integer(),
      'How many drops and requests may be sent from midnight to midnight in UTC; null: any number.',
    ),
    mails_per_day: Nullable(Type.Integer(), 'How many mails to receivers may be sent in that time; null: any number.'),
    receiver_domains: Nullable(
      Type.Array(Type.String()),
      'Receivers must have addresses in these domains; null: in any.',
    ),
  },
  { description: 'The limits of what the account may send and store.' },
);

const AccountUsage = Type.Object(
  {
    stored_size: Nullable(
      Type.Integer(),
      'The size of all stored files in bytes, with what uploads in progress have reserved; null: not added up yet.',
    ),
    available_size: Nullable(Type.Integer(), 'How many more bytes may be stored; null: any number.'),
    drops_today: Count('How many drops and requests were sent since midnight in UTC.'),
    mails_today: Count('How many mails to receivers were sent since midnight in UTC.'),
  },
  { description: 'The part of the limits that is used.' },
);

export const Account = Type.Object(
  {
    email: Type.String({ description: 'The address of the account, which is its user name, too.' }),
    mode: { ...KeyMode, description: 'Whether it is a live account, or a test account.' },
    display_name: Type.String({ description: 'Who sends, as receivers read it; empty: the address.' }),
    phone: Type.String({ description: 'The telephone number of the account, in digits.' }),
    language: Type.String({ description: 'The language of mails to the account, such as en or pt-BR.' }),
    key: Type.Object(Type.Pick(ApiKey, ['id', 'scopes', 'networks', 'expires_at']).properties, {
      description: 'The API key of this request, with its rights.',
    }),
    limits: AccountLimits,
    usage: AccountUsage,
  },
  { description: 'The account, its limits and usage, and the API key of this request.' },
);
export type Account = Static<typeof Account>;
