import type { Engines } from '../engines.ts';
import { toMessageId } from '../outbox/obsolete-message.ts';
import type { SignInNotice } from './session-store.ts';

/** The job that tells a person that someone signed in as them in a new browser, or added a sign-in method. */
export const sendSignInNoticeJob = 'send-sign-in-notice';

type Needs = Pick<Engines, 'store' | 'mailer' | 'mailTemplates' | 'policy' | 'returnPaths' | 'logger'>;

export async function sendSignInNotice(engines: Needs, notice: SignInNotice): Promise<void> {
  const { store, mailer, mailTemplates, policy, returnPaths, logger } = engines;
  const { id, personId, address, userAgent, at, added } = notice;
  const person = await store.people.byId(personId);
  if (!person || person.disabled) return;
  const { operatorName, publicUrl } = policy;
  const about = { to: person.email, timeZone: person.timeZone };
  const part = added ? 'sign-in' : 'sessions';
  const link = `${publicUrl}/${encodeURIComponent(person.email)}/settings#${part}`;
  const where = { ...about, operatorName, link, address, userAgent, at };
  const { outcome } = await mailer.send({
    messageId: toMessageId(policy, id),
    from: { name: operatorName, address: policy.mailFrom },
    replyTo: policy.supportAddress ?? policy.mailFrom,
    envelopeFrom: returnPaths?.toAddress(id) ?? policy.mailFrom,
    to: person.email,
    ...(added
      ? mailTemplates.methodAdded(person.language, { ...where, added })
      : mailTemplates.signIn(person.language, where)),
  });
  if (outcome === 'refused') logger.warn('a person could not be told of a sign-in', { person: person.id });
}
