import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { FoundFile } from './file-request.ts';
import { Page, pageParameters } from './page.ts';
import {
  describeExternalId,
  describeId,
  describeReference,
  describeTime,
  describeUnscannedReason,
  Nullable,
  Time,
} from './values.ts';

const State = Type.Enum(['available', 'claimed', 'parked', 'acknowledged'], {
  description:
    'available: it can be claimed, from `available_at` on. claimed: it is leased. parked: it was claimed as often as allowed, and can be released. acknowledged: it is done.',
});

export const InboxEntryParams = Type.Object({
  id: Type.String({ format: 'uuid', description: 'The `id` of an entry.' }),
});
export const InboxFileParams = Type.Object({
  ...InboxEntryParams.properties,
  file: Type.String({ format: 'uuid', description: 'The `id` of one of its files.' }),
});

export const ListInboxQuery = Type.Object(
  {
    ...pageParameters,
    state: Type.Optional(State),
    request_id: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'What contacts sent through this request. Cannot be combined with state.',
      }),
    ),
    external_id: Type.Optional(
      describeExternalId(
        'The sender’s identifier for the drop, or your own for the request. Cannot be combined with state or request_id.',
      ),
    ),
    reference: Type.Optional(
      describeReference(
        'The reference of the drop or request, such as WB-7F3K-29QD. Cannot be combined with state, request_id or external_id.',
      ),
    ),
  },
  { additionalProperties: false },
);

export const InboxEntry = Type.Object(
  {
    id: describeId('Identifier of the entry.'),
    state: State,
    sender: Type.String({ description: 'The address of the contact or account that sent it.' }),
    title: Nullable(Type.String(), 'The title that the sender gave it; null if it has none.'),
    message: Type.String({ description: 'Message of the sender; may be empty.' }),
    request_id: Nullable(
      Type.String({ format: 'uuid' }),
      'The request for files to which it belongs; null if another account sent it, or nobody asked for it.',
    ),
    reference: Type.String({
      description:
        'The reference of the drop, as its sender sees it, or of the request; pages and mails show it, such as WB-7F3K-29QD.',
    }),
    external_id: Nullable(
      Type.String(),
      'The identifier that the sending account gave its drop, or that this account gave its request; null if there is none.',
    ),
    unsolicited: Type.Boolean({
      description: 'Whether nobody asked for it: it came through the public page of the account.',
    }),
    file_count: Type.Integer({ description: 'Number of files.' }),
    received_at: describeTime('When it was received.'),
    expires_at: describeTime('When it ends, and its files are deleted.'),
    attempts: Type.Integer({ description: 'Number of times it was claimed since it was received or released.' }),
    available_at: Nullable(Time, 'From when on it can be claimed; null in other states.'),
    lease_ends_at: Nullable(Time, 'When its lease ends; null if it is not claimed.'),
    parked_at: Nullable(Time, 'When it was parked; null if it is not.'),
    acknowledged_at: Nullable(Time, 'When it was acknowledged; null if it was not.'),
  },
  { description: 'Files that a contact or another account sent to this account.' },
);
export type InboxEntry = Static<typeof InboxEntry>;

export const InboxEntryPage = Page(InboxEntry, 'Entries of the inbox.');

/** Properties of a file in an entry and in a link. */
export const fileProperties = {
  id: describeId('Identifier of the file.'),
  name: Type.String({ description: 'Name of the file as it was sent. Make it safe before you use it as a path.' }),
  path: Type.String({ description: 'Path of the file in the folder that was sent, including its name.' }),
  size: Type.Integer({ description: 'Size in bytes.' }),
  sha256: Type.String({ description: 'SHA-256 of the file, in hexadecimal digits.' }),
  scan: Type.Enum(['clean', 'unscanned'], { description: 'Result of the virus scan.' }),
  unscanned_reason: describeUnscannedReason(),
};

export const InboxFile = Type.Object(
  {
    ...fileProperties,
    wanted_file: Nullable(
      Type.Integer(),
      'Which of the `wanted_files` of the request it is, as the contact says, counted from 0; null if none of them.',
    ),
  },
  { description: 'A file of an entry in the inbox.' },
);

export const InboxEntryDetails = Type.Object(
  {
    ...InboxEntry.properties,
    wanted_files: Type.Array(FoundFile, {
      maxItems: limits.wantedFilesPerRequest,
      description: 'The files that the request wants, in their order; none if it wants none in particular.',
    }),
    files: Type.Array(InboxFile, { maxItems: limits.filesPerDraft, description: 'The files of the entry.' }),
  },
  { description: 'An entry of the inbox with its files.' },
);
export type InboxEntryDetails = Static<typeof InboxEntryDetails>;

/** If a claim or a renewal names no other. */
export const defaultLeaseSeconds = 300;

const LeaseSeconds = Type.Optional(
  Type.Integer({
    minimum: limits.minLeaseSeconds,
    maximum: limits.maxLeaseSeconds,
    description: `Duration of the lease from now, in seconds; ${defaultLeaseSeconds} if not given.`,
  }),
);

export const ClaimInput = Type.Object(
  {
    max: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: limits.entriesPerClaim,
        description: 'Largest number of entries to claim; 1 if not given.',
      }),
    ),
    lease_seconds: LeaseSeconds,
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: limits.eventWaitSeconds,
        description: 'Seconds to wait for an entry if none is available; 0 if not given.',
      }),
    ),
  },
  { additionalProperties: false, description: 'The number of entries to claim, and for how long.' },
);

export const ClaimedEntry = Type.Object(
  {
    ...InboxEntry.properties,
    lease: Type.String({
      format: 'uuid',
      description: 'Proof of the lease: renews it, acknowledges the entry or gives it back.',
    }),
    files: Nullable(
      Type.Array(InboxFile, { maxItems: limits.filesPerDraft }),
      `The files of the entry; null if all entries of the response have more than ${limits.filesPerClaim} files together, and those of the entries before leave no room for its own. Get the entry then.`,
    ),
  },
  { description: 'An entry that is leased to the caller. `attempts` is the number of this attempt.' },
);
export const ClaimedEntries = Type.Object(
  { data: Type.Array(ClaimedEntry, { maxItems: limits.entriesPerClaim, description: 'The entries.' }) },
  { description: 'The entries that were claimed.' },
);

const Lease = Type.String({ format: 'uuid', description: 'The `lease` with which the entry was claimed.' });

export const RenewInput = Type.Object(
  { lease: Lease, lease_seconds: LeaseSeconds },
  { additionalProperties: false, description: 'The lease to renew, and for how long.' },
);
export const AckInput = Type.Object(
  { lease: Lease },
  { additionalProperties: false, description: 'The lease of the entry to acknowledge.' },
);
export const NackInput = Type.Object(
  {
    lease: Lease,
    delay_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: limits.nackDelaySeconds,
        description: `Seconds from now during which it cannot be claimed. If not given, ${limits.minNackBackOffSeconds} after the first attempt, twice as many after each further one, and at most ${limits.maxNackBackOffSeconds}.`,
      }),
    ),
  },
  { additionalProperties: false, description: 'The lease of the entry to give back.' },
);
