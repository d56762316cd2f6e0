import type { Engines } from '../engines.ts';
import type { Question } from '../links/ask-sender.ts';
import { codeMinutes, deriveCode } from '../links/code.ts';
import { linkToken } from '../links/link-token.ts';
import { referenceOf } from '../reference.ts';
import type { RenderedMail } from './mail-templates.ts';
import type { MessageKind, WaitingMessage } from './outbox-store.ts';

type Needs = Pick<Engines, 'mailTemplates' | 'keys' | 'policy' | 'stopLinks'>;

/** The text of a waiting mail. Its secrets are derived here and nowhere else. */
export function composeMail(engines: Needs, message: WaitingMessage): Promise<RenderedMail> {
  return composers[message.kind](engines, message);
}

/** Only codes are sent by SMS. */
export async function composeSms(engines: Needs, message: WaitingMessage): Promise<string> {
  return engines.mailTemplates.codeSms(message.language, {
    code: await codeIn(engines, message),
    minutes: codeMinutes,
    host: new URL(engines.policy.publicUrl).hostname,
  });
}

const composers: Record<MessageKind, (engines: Needs, message: WaitingMessage) => Promise<RenderedMail>> = {
  async invitation(engines, message) {
    const about = { ...said(message), ...stoppable(engines, message), link: await linkIn(engines, message) };
    return message.dropType === 'downloadfiles'
      ? engines.mailTemplates.drop(message.language, { ...about, ...listed(message) })
      : engines.mailTemplates.request(message.language, about);
  },
  async reminder(engines, message) {
    const about = { ...said(message), ...stoppable(engines, message), link: await linkIn(engines, message) };
    return message.dropType === 'downloadfiles'
      ? engines.mailTemplates.reminder(message.language, { ...about, ...listed(message) })
      : engines.mailTemplates.requestReminder(message.language, about);
  },
  async code(engines, message) {
    const { to, accountName: senderName } = message;
    const code = await codeIn(engines, message);
    return engines.mailTemplates.code(message.language, { to, code, minutes: codeMinutes, senderName });
  },
  async receipt(engines, message) {
    const { email: receiver, completedAt } = message.person;
    const times = { sentAt: message.createdAt, completedAt: completedAt ?? message.createdAt };
    return engines.mailTemplates.receipt(message.language, {
      ...named(message),
      ...listed(message),
      ...times,
      receiver,
    });
  },
  more_time: (engines, message) => asked(engines, message, 'more_time'),
  send_again: (engines, message) => asked(engines, message, 'send_again'),
  async undeliverable(engines, message) {
    const { email: receiver, undeliverable, stopped } = message.person;
    const about = { sentAt: message.createdAt, receiver, answer: stopped ? undefined : (undeliverable ?? '') };
    return engines.mailTemplates.undeliverable(message.language, { ...named(message), ...listed(message), ...about });
  },
  async received(engines, message) {
    const about = { ...said(message), ...listed(message), contact: message.person.email };
    return engines.mailTemplates.received(message.language, about);
  },
  // In the server's language, which its operator reads.
  async report(engines, message) {
    const { account: sender, accountName: senderName, createdAt: sentAt, person } = message;
    return engines.mailTemplates.report('', { ...named(message), sender, senderName, sentAt, reporter: person.email });
  },
  async confirmation(engines, message) {
    const about = { receiver: message.accountName, sentAt: message.createdAt, message: message.message };
    const stop = stoppable(engines, message);
    return engines.mailTemplates.confirmation(message.language, {
      ...named(message),
      ...listed(message),
      ...about,
      ...stop,
    });
  },
};

async function asked({ mailTemplates }: Needs, message: WaitingMessage, question: Question): Promise<RenderedMail> {
  const { language, person, expiresAt: deadline } = message;
  return mailTemplates.question(language, { ...named(message), question, receiver: person.email, deadline });
}

const named = ({ to, dropId }: WaitingMessage) => ({ to, reference: referenceOf(dropId) });
const said = (message: WaitingMessage) => ({
  ...named(message),
  sender: message.account,
  senderName: message.accountName,
  message: message.message,
  deadline: message.expiresAt,
});
const stoppable = ({ stopLinks }: Needs, { id }: WaitingMessage) => ({ stopLink: stopLinks.of(id) });
const listed = ({ files, fileCount, totalBytes }: WaitingMessage) => ({ files, fileCount, totalBytes });

async function linkIn(engines: Needs, message: WaitingMessage): Promise<string> {
  const page = message.dropType === 'downloadfiles' ? 'd' : 'u';
  const token = linkToken(await linkKeyOf(engines, message), message.person.position);
  return `${engines.policy.publicUrl}/${page}/${token}`;
}

async function codeIn(engines: Needs, message: WaitingMessage): Promise<string> {
  return deriveCode(await linkKeyOf(engines, message), message.id);
}

function linkKeyOf(engines: Pick<Engines, 'keys'>, message: WaitingMessage): Promise<Buffer> {
  if (!message.linkKey) throw new Error('its drop has ended');
  return engines.keys.unwrap(message.linkKey, message.keyVersion, message.dropId);
}
