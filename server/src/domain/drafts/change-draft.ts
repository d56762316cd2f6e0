import { readPolicy } from '../accounts/read-policy.ts';
import { requireAllowedReceivers } from '../accounts/require-allowed-receivers.ts';
import type { Actor } from '../actor.ts';
import { record } from '../audit/record.ts';
import { contactFromInput } from '../contacts/contact-from-input.ts';
import type { ContactInput } from '../contacts/contact-input.ts';
import type { Receiver } from '../contacts/contact-store.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { fileName } from '../files/file-name.ts';
import type { StagedFile } from '../files/file-store.ts';
import { toVisibleName } from '../safe-name.ts';

/** A receiver as a caller describes it; what is left out is taken from the contact. */
export interface DraftReceiverInput extends ContactInput {
  readonly contactName?: string | undefined;
}

/**
 * docs/api.md#4-set-receivers: the array replaces the receivers. Every receiver must be a contact, local or global; for
 * this dispatch, a field in the request takes precedence over the contact's.
 */
export async function setReceivers(
  engines: Pick<Engines, 'store' | 'random' | 'policy'>,
  actor: Actor,
  draft: string,
  input: readonly DraftReceiverInput[],
): Promise<void> {
  const wanted = input.map((sent) => ({ sent, stored: contactFromInput({ ...sent, name: sent.contactName }) }));
  const emails = wanted.map(({ stored }) => stored.email);
  if (new Set(emails).size !== emails.length) {
    throw new ExchangeError('invalid_input', 'A receiver appears twice in the list. Name each of them once.');
  }
  requireAllowedReceivers(await readPolicy(engines, actor.accountId), emails);
  await engines.store.transaction(async (tx) => {
    const before = await tx.drafts.lock(actor.accountId, draft);
    const contacts = new Map((await tx.contacts.find(actor.accountId, emails)).map((found) => [found.email, found]));
    const receivers = wanted.map(({ sent, stored }): Receiver => {
      const contact = contacts.get(stored.email);
      if (!contact) throw new ExchangeError('unknown_contact');
      return {
        email: stored.email,
        contactName: sent.contactName === undefined ? contact.name : stored.name,
        phone: sent.phone ?? contact.phone,
        language: sent.language ?? contact.language,
        groups: sent.groups === undefined ? contact.groups : stored.groups,
        ...(sent.name === undefined ? {} : { name: toVisibleName(sent.name) }),
      };
    });
    await tx.drafts.setReceivers(actor.accountId, draft, receivers);
    await record(engines, tx, {
      accountId: actor.accountId,
      author: actor.author,
      action: 'receivers.set',
      details: { draft, count: receivers.length },
      before: { receivers: before.receivers.map(({ email }) => email) },
      after: { receivers: emails },
    });
  });
}

/** docs/api.md#5-get-uploaded-files: lists the staged files and opens the list, which is required before a dispatch. */
export async function openFileList(
  engines: Pick<Engines, 'store'>,
  actor: Actor,
  draft: string,
): Promise<StagedFile[]> {
  await engines.store.drafts.openList(actor.accountId, draft);
  return engines.store.files.staged(actor.accountId, draft);
}

/** docs/api.md#6-delete-an-uploaded-file. The file is gone at once; its objects are deleted by the next sweep. */
export async function removeFile(
  engines: Pick<Engines, 'store' | 'random'>,
  actor: Actor,
  draft: string,
  name: string,
): Promise<void> {
  const wanted = fileName(name);
  await engines.store.transaction(async (tx) => {
    await tx.drafts.lock(actor.accountId, draft);
    const removed = await tx.files.removeStaged(actor.accountId, draft, wanted);
    if (!removed) throw new ExchangeError('not_found', 'No uploaded file has that name.');
    await record(engines, tx, {
      accountId: actor.accountId,
      author: actor.author,
      action: 'file.deleted',
      details: { draft, name: wanted },
    });
  });
}
