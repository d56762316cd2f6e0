import type { Engines } from '../engines.ts';
import { toMessageId } from '../outbox/obsolete-message.ts';

/** The job that mails a person the link at which they begin to sign in. It is tried again, for days, until it succeeds. */
export const sendPersonLinkJob = 'send-person-link';

type Needs = Pick<Engines, 'store' | 'mailer' | 'mailTemplates' | 'policy' | 'returnPaths' | 'logger' | 'personLinks'>;

/** Sends nothing if the link was used, replaced or has expired in the meantime. */
export async function sendPersonLink(engines: Needs, linkId: string): Promise<void> {
  const { store, mailer, mailTemplates, policy, returnPaths, logger, personLinks } = engines;
  const link = await store.personLinks.byId(linkId);
  if (link?.state !== 'open') return;
  const { person, purpose, invitedBy, expiresAt } = link;
  const { operatorName } = policy;
  const { email: to, timeZone } = person;
  const about = { to, timeZone, operatorName, link: personLinks.toUrl(linkId), deadline: expiresAt };
  const { outcome } = await mailer.send({
    messageId: toMessageId(policy, linkId),
    from: { name: operatorName, address: policy.mailFrom },
    replyTo: policy.supportAddress ?? policy.mailFrom,
    envelopeFrom: returnPaths?.toAddress(linkId) ?? policy.mailFrom,
    to: person.email,
    ...(purpose === 'invitation'
      ? mailTemplates.personInvitation(person.language, { ...about, invitedBy: invitedBy || operatorName })
      : mailTemplates.recovery(person.language, about)),
  });
  if (outcome === 'refused')
    logger.warn('a person could not be sent their sign-in link', { person: person.id, purpose });
}
