import { readPolicy } from '../accounts/read-policy.ts';
import { isAllowedReceiver } from '../accounts/require-allowed-receivers.ts';
import { systemAuthor } from '../audit/author.ts';
import { record } from '../audit/record.ts';
import { prepareLinkKey } from '../drops/write-drop.ts';
import type { Engines } from '../engines.ts';
import { describeConsignment, describeSubmission } from '../evidence/submission-evidence.ts';
import { linkToken, tokenDigest } from '../links/link-token.ts';
import type { Visitor } from './public-page-store.ts';
import { countPerDay } from './request-public-link.ts';

/** The job that sends a visitor of a public page a link, if the account and the address want that. */
export const sendPublicLinkJob = 'send-public-link';

/** Long enough to find the mail and to upload large files. */
const linkSeconds = 24 * 60 * 60;

/**
 * Makes a request for files that the account did not ask for, and mails its link: who has the mail has proved the
 * address. It takes files once. Nothing happens if the account has blocked the address, the address has stopped the
 * account's mails or was sent enough of them today, or the page was closed.
 */
export async function sendPublicLink(
  engines: Pick<Engines, 'store' | 'random' | 'dayKeys' | 'policy' | 'attemptLimit' | 'sms'>,
  accountId: string,
  { email, name, language }: Visitor,
): Promise<void> {
  const { store, random, attemptLimit } = engines;
  const page = await store.publicPages.ofAccount(accountId);
  const account = await store.accounts.byId(accountId);
  if (!page?.isOpen || !account || account.disabled) return;
  const policy = await readPolicy(engines, accountId);
  if (!policy.publicPage.isAllowed || !isAllowedReceiver(policy, email)) return;
  if (await store.publicPages.isUnwanted(accountId, email)) return;
  const perAddress = countPerDay('address', email, policy.publicPage.mailsPerAddress);
  if ((await attemptLimit.acquire([perAddress])) > 0) return;
  const { id, linkKey, wrappedLinkKey } = await prepareLinkKey(engines, linkSeconds);
  await store.transaction(async (tx) => {
    const receiver = { email, phone: '', language, groups: [], contactName: '', ...(name !== '' && { name }) };
    const link = { position: 0, receiver, tokenDigest: tokenDigest(linkToken(linkKey, 0)) };
    const expiresAt = await tx.drops.insert(
      accountId,
      {
        id,
        type: 'uploadfiles',
        message: '',
        // How long the files are kept that are sent through it.
        lifetime: policy.lifetime.default,
        lifetimeSeconds: linkSeconds,
        reminderSeconds: null,
        from: null,
        receiverCount: 1,
        fileCount: 0,
        linkKey: wrappedLinkKey,
        choices: { title: null, externalId: null, metadata: null, secondFactor: null, notify: true, reusable: false },
        isUnsolicited: true,
      },
      [link],
    );
    await tx.outbox.writeToReceivers(accountId, id, 'invitation', [{ id: random.uuid(), position: 0 }]);
    await record(engines, tx, {
      accountId,
      author: systemAuthor('server'),
      action: 'public_page.link_sent',
      addresses: [email],
      details: { dropId: id },
    });
    const about = { accountId, dropId: id, author: systemAuthor('server') };
    await tx.evidence.append([
      describeSubmission({
        ...about,
        type: 'request',
        sender: account.email,
        files: [],
        receiverCount: 1,
        expiresAt,
        message: '',
      }),
      ...describeConsignment(engines, {
        ...about,
        position: 0,
        receiver,
        notify: true,
        factor: 'off',
        hasPassphrase: false,
      }),
    ]);
  });
}
