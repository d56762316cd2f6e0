import { type Static, Type } from 'typebox';
import { Key } from './key.ts';
import { Nullable } from './sent.ts';

const Count = (description: string) => Type.Integer({ minimum: 0, description });

/** What applies to the account: its own value, or else that of its group, or else the server's. */
const AccountLimits = Type.Object(
  {
    file_bytes: Count('How large a file may be.'),
    files_per_drop: Count('How many files a drop may have.'),
    receivers_per_drop: Count('How many receivers a drop or a request may have.'),
    min_expires_in: Count('After how many seconds a drop or a request ends at the earliest.'),
    max_expires_in: Count('After how many seconds it ends at the latest.'),
    default_expires_in: Count('After how many seconds it ends if nothing is said.'),
    allowed_expires_in: Nullable(
      Type.Array(Type.Integer()),
      'The only numbers of seconds that may be chosen; null: any from the earliest to the latest.',
    ),
    stored_bytes: Nullable(Type.Integer(), 'How much may be stored at a time; null: any amount.'),
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
  { description: 'What the account may send and store.' },
);

const AccountUsage = Type.Object(
  {
    stored_bytes: Nullable(
      Type.Integer(),
      'The size of all files that are stored, with what uploads in progress have reserved; null: not added up yet.',
    ),
    available_bytes: Nullable(Type.Integer(), 'How much more may be stored; null: any amount.'),
    drops_today: Count('How many drops and requests were sent since midnight in UTC.'),
    mails_today: Count('How many mails to receivers were sent since midnight in UTC.'),
  },
  { description: 'What the account has used of that.' },
);

/** The account, what it may do, and the key that asks. */
export const AccountView = Type.Object({
  email: Type.String({ description: 'The address of the account, which is its user name, too.' }),
  display_name: Type.String({ description: 'Who sends, as receivers read it; empty: the address.' }),
  number: Type.String({ description: 'The telephone number of the account, in digits.' }),
  language: Type.String({ description: 'The language of mails to the account, such as en or pt-BR.' }),
  key: Type.Object(Type.Pick(Key, ['id', 'scopes', 'networks', 'expires_at']).properties, {
    description: 'The key of this request, and what it may do.',
  }),
  limits: AccountLimits,
  usage: AccountUsage,
});
export type AccountView = Static<typeof AccountView>;
