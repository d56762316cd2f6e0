import { linkToken } from '../drops/link-token.ts';
import { codeMinutes, codeOf } from '../links/code.ts';
import type { Engines, Letter, MessageKind, WaitingMessage } from '../ports/index.ts';

type Needs = Pick<Engines, 'letters' | 'keys' | 'policy'>;

/** The words of a waiting mail. What is secret in it is derived only here, and is nowhere else. */
export function composeMail(engines: Needs, message: WaitingMessage): Promise<Letter> {
  return composers[message.kind](engines, message);
}

/** Only codes travel by SMS. */
export async function composeSms(engines: Needs, message: WaitingMessage): Promise<string> {
  return engines.letters.codeSms(message.language, { code: await codeIn(engines, message), minutes: codeMinutes });
}

const composers: Record<MessageKind, (engines: Needs, message: WaitingMessage) => Promise<Letter>> = {
  async invitation(engines, message) {
    const about = { ...said(message), link: await linkIn(engines, message) };
    return message.dropType === 'downloadfiles'
      ? engines.letters.drop(message.language, { ...about, ...listed(message) })
      : engines.letters.grant(message.language, about);
  },
  async reminder(engines, message) {
    const link = await linkIn(engines, message);
    return engines.letters.reminder(message.language, { ...said(message), ...listed(message), link });
  },
  async code(engines, message) {
    const code = await codeIn(engines, message);
    return engines.letters.code(message.language, { code, minutes: codeMinutes, sender: message.account });
  },
  async receipt(engines, message) {
    const { email: receiver, completedAt } = message.person;
    const times = { sentAt: message.createdAt, completedAt: completedAt ?? message.createdAt };
    return engines.letters.receipt(message.language, { ...listed(message), ...times, receiver });
  },
  async received(engines, message) {
    const about = { ...said(message), ...listed(message), contact: message.person.email };
    return engines.letters.received(message.language, about);
  },
};

const said = ({ account, message, expiresAt }: WaitingMessage) => ({ sender: account, message, deadline: expiresAt });
const listed = ({ files, fileCount, totalBytes }: WaitingMessage) => ({ files, fileCount, totalBytes });

async function linkIn(engines: Needs, message: WaitingMessage): Promise<string> {
  const page = message.dropType === 'downloadfiles' ? 'd' : 'u';
  const token = linkToken(await linkKeyOf(engines, message), message.person.position);
  return `${engines.policy.publicUrl}/${page}/${token}`;
}

async function codeIn(engines: Needs, message: WaitingMessage): Promise<string> {
  return codeOf(await linkKeyOf(engines, message), message.id);
}

function linkKeyOf(engines: Pick<Engines, 'keys'>, message: WaitingMessage): Promise<Buffer> {
  if (!message.linkKey) throw new Error('its drop has ended');
  return engines.keys.unwrap(message.linkKey, message.keyVersion, message.dropId);
}
