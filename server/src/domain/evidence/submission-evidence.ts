import { hash } from 'node:crypto';
import type { EvidenceFile } from '@waybill/evidence';
import type { Author } from '../audit/audit-store.ts';
import type { Receiver } from '../contacts/contact-store.ts';
import type { Engines } from '../engines.ts';
import { chooseCodeChannel } from '../links/second-factor.ts';
import type { SecondFactor } from '../policy.ts';
import { toReference } from '../reference.ts';
import type { NewEvidence } from './evidence-store.ts';

export interface Submission {
  readonly accountId: string;
  readonly dropId: string;
  readonly type: 'drop' | 'request';
  /** The address of the account, or of the contact who sends the files. */
  readonly sender: string;
  readonly author: Author;
  readonly files: readonly EvidenceFile[];
  readonly receiverCount: number;
  readonly expiresAt: Date;
  readonly message: string;
}

/** States that a drop or a request with its files was accepted. */
export function describeSubmission({ accountId, dropId, ...submission }: Submission): NewEvidence {
  const { type, sender, author, files, receiverCount, expiresAt, message } = submission;
  return {
    accountId,
    dropId,
    kind: 'submission.accepted',
    data: {
      reference: toReference(dropId),
      type,
      sender: { address: sender, by: author.kind },
      files,
      receivers: receiverCount,
      expires_at: expiresAt.toISOString(),
      message_sha256: message === '' ? null : hash('sha256', message),
    },
  };
}

export interface AddressedDrop {
  readonly accountId: string;
  readonly dropId: string;
  readonly position: number;
  readonly receiver: Receiver;
  readonly author: Author;
  /** Whether the server mails the link. */
  readonly notify: boolean;
  /** The second factor that the receiver has to pass. */
  readonly factor: SecondFactor;
  readonly hasPassphrase: boolean;
}

/** States that a drop or a request was consigned to a receiver, and that the author was given a link that is not mailed. */
export function describeConsignment(
  engines: Pick<Engines, 'sms'>,
  { accountId, dropId, position, ...consignment }: AddressedDrop,
): NewEvidence[] {
  const { receiver, author, notify, factor, hasPassphrase } = consignment;
  const story = { accountId, dropId, position };
  const name = receiver.name ?? receiver.contactName;
  const consigned: NewEvidence = {
    ...story,
    kind: 'content.consigned',
    data: {
      address: receiver.email,
      notified: notify,
      code: chooseCodeChannel(engines, factor, receiver.phone) ?? 'none',
      ...(hasPassphrase && { passphrase: true }),
      ...(name !== '' && { name }),
    },
  };
  return notify ? [consigned] : [consigned, { ...story, kind: 'link.shown', data: { by: author.name } }];
}
