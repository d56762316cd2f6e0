import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { Page, pageParameters } from './page.ts';
import { Time, timeOf } from './time.ts';

const Id = (description: string) => Type.String({ format: 'uuid', description });
const OptionalTime = (description: string) => Type.Union([Time, Type.Null()], { description });

const State = Type.Enum(['available', 'claimed', 'parked', 'acknowledged'], {
  description:
    'available: can be claimed, from `available_at` on. claimed: its lease is held. parked: it was claimed as often as it may be, and can be released. acknowledged: it is done.',
});

/** Which entry, in the path. */
export const InboxEntryParams = Type.Object({
  id: Type.String({ format: 'uuid', description: 'The `id` of an entry.' }),
});
export const InboxFileParams = Type.Object({
  ...InboxEntryParams.properties,
  file: Type.String({ format: 'uuid', description: 'The `id` of one of its files.' }),
});

export const InboxQuery = Type.Object(
  { ...pageParameters, state: Type.Optional(State) },
  { additionalProperties: false },
);

/** What a contact or another account sent, until it ends. */
export const QueuedEntry = Type.Object({
  id: Id('Which entry it is.'),
  state: State,
  sender: Type.String({ description: 'The address of the contact or account that sent it.' }),
  message: Type.String({ description: 'What the sender wrote; may be empty.' }),
  request_id: Type.Union([Type.String({ format: 'uuid' }), Type.Null()], {
    description: 'The request for files that it answers; null if another account sent it.',
  }),
  file_count: Type.Integer({ description: 'How many files it has.' }),
  received_at: timeOf('When it was received.'),
  expires_at: timeOf('When it ends, and its files are deleted.'),
  attempts: Type.Integer({ description: 'How many times it was claimed, since it was received or released.' }),
  available_at: OptionalTime('Since when, or from when on, it can be claimed; null in other states.'),
  lease_ends_at: OptionalTime('When its lease ends; null if it is not claimed.'),
  parked_at: OptionalTime('Since when it is parked, if it is.'),
  acknowledged_at: OptionalTime('When it was acknowledged, if it was.'),
});
export type QueuedEntry = Static<typeof QueuedEntry>;

export const InboxPage = Page(QueuedEntry);

export const EntryFile = Type.Object({
  id: Id('Which file of the entry it is.'),
  name: Type.String({ description: 'Its name as it was sent. Make it safe before you use it as a path.' }),
  path: Type.String({ description: 'Where it was in the folder that was sent, including its own name.' }),
  size_bytes: Type.Integer({ description: 'In bytes.' }),
  sha256: Type.String({ description: 'In hexadecimal digits.' }),
  scan: Type.Enum(['clean', 'unscanned'], { description: 'What the virus scanner said.' }),
});

export const InboxEntryWithFiles = Type.Object({
  ...QueuedEntry.properties,
  files: Type.Array(EntryFile, { maxItems: limits.filesPerDraft, description: 'The files of the entry.' }),
});
export type InboxEntryWithFiles = Static<typeof InboxEntryWithFiles>;

const LeaseSeconds = Type.Integer({
  minimum: limits.minLeaseSeconds,
  maximum: limits.maxLeaseSeconds,
  description: 'How long from now the lease is held, in seconds.',
});

export const ClaimInput = Type.Object(
  {
    max: Type.Integer({ minimum: 1, maximum: limits.entriesPerClaim, description: 'How many entries at most.' }),
    lease_seconds: LeaseSeconds,
  },
  { additionalProperties: false },
);

/** `attempts` is the number of this attempt. */
export const ClaimedEntry = Type.Object({
  ...QueuedEntry.properties,
  lease: Type.String({
    format: 'uuid',
    description: 'To renew the lease, and to acknowledge the entry or give it back.',
  }),
});
export const Claimed = Type.Object({ data: Type.Array(ClaimedEntry, { maxItems: limits.entriesPerClaim }) });

const Lease = Type.String({ format: 'uuid', description: 'The `lease` with which the entry was claimed.' });

export const RenewInput = Type.Object({ lease: Lease, lease_seconds: LeaseSeconds }, { additionalProperties: false });
export const AckInput = Type.Object({ lease: Lease }, { additionalProperties: false });
export const NackInput = Type.Object(
  {
    lease: Lease,
    delay_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: limits.nackDelaySeconds,
        description: 'How long from now it cannot be claimed, in seconds; 0 if not given.',
      }),
    ),
  },
  { additionalProperties: false },
);
