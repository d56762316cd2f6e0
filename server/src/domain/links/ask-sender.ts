import { linkAuthor } from '../audit/author.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Link } from './link-store.ts';

/** The question that the receiver of this link may ask the sender now, if any. */
export function chooseQuestion(
  link: Pick<Link, 'kind' | 'ended' | 'revoked' | 'endsSoon' | 'isUnsolicited' | 'isSenderDisabled'>,
): Question | undefined {
  // Nobody sent it: its receiver can get another one on the public page.
  if (link.isUnsolicited) return undefined;
  // Nobody knows who asks; the page names the sender's address.
  if (link.kind !== 'receiver') return undefined;
  if (link.revoked && link.isSenderDisabled) return undefined;
  if (link.ended || link.revoked) return 'send_again';
  return link.endsSoon ? 'more_time' : undefined;
}

/** Sends the sender one mail for each kind of question from a receiver, however often it is asked. */
export async function askSender(
  engines: Pick<Engines, 'store' | 'random'>,
  link: Link,
  address?: string,
): Promise<void> {
  const question = chooseQuestion(link);
  if (!question) throw new ExchangeError('not_found');
  await engines.store.transaction(async (tx) => {
    if (!(await tx.links.ask(link, question))) return;
    const { accountId, dropId, position } = link;
    await tx.outbox.tell(accountId, { kind: question, dropId, position });
    await record(engines, tx, {
      accountId,
      author: linkAuthor(link, address),
      action: 'link.asked',
      details: { dropId, question },
    });
  });
}

/** The questions that a receiver may ask the sender. */
export type Question = 'more_time' | 'send_again';
