import { type Mail, readAllMails, readMailsTo } from '../../../tools/shared/mailbox.ts';
import { demo } from '../servers/running-demo.ts';
import { eventually } from '../wait.ts';

/** The mails that the demo's mail server has delivered to this envelope address so far. */
export function mailsTo(address: string): Promise<Mail[]> {
  return readMailsTo(demo().mail_dir, address);
}

/** The mails that the demo's mail server has delivered since then, by envelope address. */
export function allMails(since = 0): Promise<Map<string, Mail[]>> {
  return readAllMails(demo().mail_dir, since);
}

export async function waitForMail(address: string): Promise<Mail> {
  return await eventually(`a mail to ${address}`, async () => (await mailsTo(address))[0]);
}

/** The tokens of the links of this kind in the mail, each once, whichever part they are in. */
export function linkTokens(mail: Mail, kind: 'd' | 'u' | 'm'): string[] {
  const prefix = `${demo().base_url.replace(/\/$/, '')}/${kind}/`;
  const content = `${mail.email.text ?? ''}\n${mail.email.html ?? ''}`;
  const tokens = content.split(prefix).slice(1);
  return [...new Set(tokens.map((rest) => /^[A-Za-z0-9_-]*/.exec(rest)?.[0] ?? ''))];
}
