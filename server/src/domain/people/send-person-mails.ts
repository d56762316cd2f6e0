import type { Engines } from '../engines.ts';
import { toOperatorsMail } from '../outbox/obsolete-message.ts';
import type { Mail } from '../ports/mailer.ts';
import type { Person } from './person-store.ts';
import type { SignInNotice } from './session-store.ts';

/** The job that mails a person the link at which they begin to sign in. It is tried again, for days, until it succeeds. */
export const sendPersonLinkJob = 'send-person-link';

/** The job that tells a person that someone signed in as them in a new browser, or added a sign-in method. */
export const sendSignInNoticeJob = 'send-sign-in-notice';

type Needs = Pick<Engines, 'store' | 'mailer' | 'mailTemplates' | 'policy' | 'returnPaths' | 'logger'>;

/** Sends nothing if the link was used, replaced or has expired in the meantime. */
export async function sendPersonLink(engines: Needs & Pick<Engines, 'personLinks'>, linkId: string): Promise<void> {
  const { store, mailTemplates, policy, logger, personLinks } = engines;
  const link = await store.personLinks.byId(linkId);
  if (link?.state !== 'open') return;
  const { person, purpose, invitedBy, inviterName, account, expiresAt } = link;
  const { operatorName } = policy;
  const { email: to, timeZone } = person;
  const about = { to, timeZone, operatorName, link: personLinks.toUrl(linkId), deadline: expiresAt };
  const mail =
    purpose === 'invitation'
      ? mailTemplates.personInvitation(person.language, {
          ...about,
          inviter: invitedBy === '' ? undefined : { email: invitedBy, name: inviterName },
          account: account ?? { email: to, name: '' },
        })
      : mailTemplates.recovery(person.language, about);
  if (!(await mailPerson(engines, linkId, person, mail)))
    logger.warn('a person could not be sent their sign-in link', { person: person.id, purpose });
}

export async function sendSignInNotice(engines: Needs, notice: SignInNotice): Promise<void> {
  const { store, mailTemplates, policy, logger } = engines;
  const { id, personId, address, userAgent, at, added } = notice;
  const person = await store.people.byId(personId);
  if (!person || person.disabled) return;
  const { operatorName, publicUrl } = policy;
  const about = { to: person.email, timeZone: person.timeZone };
  const part = added ? 'sign-in' : 'sessions';
  const link = `${publicUrl}/${encodeURIComponent(person.email)}/settings#${part}`;
  const where = { ...about, operatorName, link, address, userAgent, at };
  const mail = added
    ? mailTemplates.methodAdded(person.language, { ...where, added })
    : mailTemplates.signIn(person.language, where);
  if (!(await mailPerson(engines, id, person, mail)))
    logger.warn('a person could not be told of a sign-in', { person: person.id });
}

/** Returns whether the mail server accepted it. Replies reach those who can help. */
async function mailPerson(
  engines: Needs,
  id: string,
  { email }: Pick<Person, 'email'>,
  rendered: Pick<Mail, 'subject' | 'text' | 'html' | 'logo'>,
): Promise<boolean> {
  const { supportAddress, mailFrom } = engines.policy;
  const addressed = { ...toOperatorsMail(engines, id, email), replyTo: supportAddress ?? mailFrom };
  const { outcome } = await engines.mailer.send({ ...addressed, ...rendered });
  return outcome !== 'refused';
}
