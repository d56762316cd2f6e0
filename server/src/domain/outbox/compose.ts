import type { Engines } from '../engines.ts';
import type { Question } from '../links/ask-sender.ts';
import { codeMinutes, deriveCode } from '../links/issue-code.ts';
import { linkToken } from '../links/link-token.ts';
import type { Policy } from '../policy.ts';
import type { RenderedMail, ToldMember } from './mail-templates.ts';
import { toMessageReference } from './obsolete-message.ts';
import type { MessageKind, WaitingMessage } from './outbox-store.ts';

type Needs = Pick<Engines, 'mailTemplates' | 'dayKeys' | 'policy' | 'stopLinks'>;

/** The text of a waiting mail. Its secrets are derived here and nowhere else. */
export function composeMail(engines: Needs, message: WaitingMessage): Promise<RenderedMail> {
  return composers[message.kind](engines, message);
}

/** The personal link and the code that the text of a message contains, for a test that has no one to read it. */
export async function deriveSecrets(
  engines: Needs,
  message: WaitingMessage,
): Promise<{ readonly link: string | null; readonly code: string | null }> {
  const { kind } = message;
  return {
    link: kind === 'invitation' || kind === 'reminder' ? await deriveLink(engines, message) : null,
    code: kind === 'code' ? await deriveMessageCode(engines, message) : null,
  };
}

/** Only codes are sent by SMS. */
export async function composeSms(engines: Needs, message: WaitingMessage): Promise<string> {
  return engines.mailTemplates.codeSms(message.language, {
    code: await deriveMessageCode(engines, message),
    minutes: codeMinutes,
    host: new URL(engines.policy.publicUrl).hostname,
  });
}

const composers: Record<MessageKind, (engines: Needs, message: WaitingMessage) => Promise<RenderedMail>> = {
  async invitation(engines, message) {
    const about = {
      ...toInvitation(message),
      ...toStoppable(engines, message),
      link: await deriveLink(engines, message),
    };
    if (message.isUnsolicited) return engines.mailTemplates.publicLink(message.language, about);
    return message.dropType === 'downloadfiles'
      ? engines.mailTemplates.drop(message.language, { ...about, ...toListedFiles(message) })
      : engines.mailTemplates.request(message.language, { ...about, ...toAsked(message) });
  },
  async reminder(engines, message) {
    const about = {
      ...toInvitation(message),
      ...toStoppable(engines, message),
      link: await deriveLink(engines, message),
    };
    return message.dropType === 'downloadfiles'
      ? engines.mailTemplates.reminder(message.language, { ...about, ...toListedFiles(message) })
      : engines.mailTemplates.requestReminder(message.language, { ...about, ...toAsked(message) });
  },
  async code(engines, message) {
    const { to, accountName: senderName } = message;
    const code = await deriveMessageCode(engines, message);
    return engines.mailTemplates.code(message.language, { to, code, minutes: codeMinutes, senderName });
  },
  async receipt(engines, message) {
    const { email: receiver, openedAt, completedAt, shownTo } = message.person;
    const times = { sentAt: message.createdAt, openedAt, completedAt: completedAt ?? message.createdAt };
    return engines.mailTemplates.receipt(message.language, {
      ...toNotice(engines, message),
      ...toListedFiles(message),
      title: message.title,
      ...times,
      receiver,
      shownTo,
    });
  },
  more_time: (engines, message) => composeQuestion(engines, message, 'more_time'),
  send_again: (engines, message) => composeQuestion(engines, message, 'send_again'),
  async undeliverable(engines, message) {
    const { email: receiver, undeliverable, stopped } = message.person;
    const about = { sentAt: message.createdAt, receiver, response: stopped ? undefined : (undeliverable ?? '') };
    return engines.mailTemplates.undeliverable(message.language, {
      ...toNotice(engines, message),
      ...toListedFiles(message),
      title: message.title,
      ...about,
    });
  },
  async received(engines, message) {
    const about = {
      ...toInvitation(message),
      ...toNotice(engines, message),
      ...toListedFiles(message),
      contact: findOtherPerson(message),
      isUnsolicited: message.isUnsolicited,
    };
    return engines.mailTemplates.received(message.language, about);
  },
  // In the server's language, which its operator reads.
  async report(engines, message) {
    const { account: sender, accountName: senderName, createdAt: sentAt, person } = message;
    return engines.mailTemplates.report('', {
      ...toReferring(message),
      sender,
      senderName,
      sentAt,
      reporter: person.email,
    });
  },
  async confirmation(engines, message) {
    const about = { receiver: message.accountName, sentAt: message.createdAt, message: message.message };
    const stop = toStoppable(engines, message);
    return engines.mailTemplates.confirmation(message.language, {
      ...toReferring(message),
      ...toListedFiles(message),
      ...about,
      ...stop,
    });
  },
};

/** The person at the other end: a receiver or contact, or the account that sent what arrived in an inbox. */
export function findOtherPerson(message: WaitingMessage): string {
  return isFromAccount(message) ? message.account : message.person.email;
}

/** Whether it tells of a drop that another account sent. */
const isFromAccount = ({ kind, dropType }: WaitingMessage) => kind === 'received' && dropType === 'downloadfiles';

async function composeQuestion(engines: Needs, message: WaitingMessage, question: Question): Promise<RenderedMail> {
  const { language, person, expiresAt: deadline } = message;
  const isRequest = message.dropType === 'uploadfiles';
  const about = { question, isRequest, isRevoked: person.isRevoked, receiver: person.email, deadline };
  return engines.mailTemplates.question(language, { ...toNotice(engines, message), ...about });
}

const toReferring = (message: WaitingMessage) => ({
  to: message.to,
  timeZone: message.told?.timeZone,
  reference: toMessageReference(message),
});
const toNotice = (engines: Needs, message: WaitingMessage) => ({
  ...toReferring(message),
  page: findAppPage(engines, message),
  told: toToldMember(engines, message),
});
const toInvitation = (message: WaitingMessage) => ({
  ...toReferring(message),
  sender: message.account,
  senderName: message.accountName,
  title: message.title,
  message: message.message,
  deadline: message.expiresAt,
});
const toStoppable = ({ stopLinks }: Needs, { id }: WaitingMessage) => ({ stopLink: stopLinks.toUrl(id) });
const toAsked = ({ reusable, title, wanted }: WaitingMessage) => ({ reusable, title, wanted });
const toListedFiles = ({ files, fileCount, totalBytes, unscannedCount }: WaitingMessage) => ({
  files,
  fileCount,
  totalBytes,
  unscannedCount,
});

/** The page on which a member of the account sees what the mail is about; undefined if nobody signs in to the account. */
function findAppPage({ policy }: Needs, message: WaitingMessage): string | undefined {
  const { dropId, inboxId, told } = message;
  if (!message.hasMembers && !told) return undefined;
  const pages = {
    downloadfiles: `sent/${dropId}`,
    uploadfiles: `requests/${dropId}`,
    receivedfiles: inboxId === null ? 'inbox' : `inbox/${inboxId}`,
  };
  const page = isFromAccount(message) ? 'inbox' : pages[message.dropType];
  return `${toAccountUrl(policy, told?.account ?? message.account)}/${page}`;
}

function toToldMember({ policy }: Needs, { told, more }: WaitingMessage): ToldMember | undefined {
  if (!told) return undefined;
  const settingsLink = `${toAccountUrl(policy, told.account)}/settings#notifications`;
  return { settingsLink, sharedAccount: told.isShared ? told.accountName : undefined, more };
}

const toAccountUrl = ({ publicUrl }: Pick<Policy, 'publicUrl'>, account: string) =>
  `${publicUrl}/${encodeURIComponent(account)}`;

async function deriveLink(engines: Needs, message: WaitingMessage): Promise<string> {
  const page = message.dropType === 'downloadfiles' ? 'd' : 'u';
  const token = linkToken(await unwrapLinkKey(engines, message), message.person.position);
  return `${engines.policy.publicUrl}/${page}/${token}`;
}

async function deriveMessageCode(engines: Needs, message: WaitingMessage): Promise<string> {
  return deriveCode(await unwrapLinkKey(engines, message), message.id);
}

function unwrapLinkKey(engines: Pick<Engines, 'dayKeys'>, message: WaitingMessage): Promise<Buffer> {
  if (!message.linkKey) throw new Error('its drop has ended');
  return engines.dayKeys.unwrap(message.linkKey.wrapped, message.linkKey.day, message.dropId);
}
