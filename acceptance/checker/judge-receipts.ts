import { type Policy, verifyReceipt } from '../../evidence/src/index.ts';
import { V1Client } from '../lib/http/v1-client.ts';
import { eventually } from '../lib/wait.ts';
import { type Journal, settledOutcome } from './journal.ts';

/** For each account. */
const sampled = 3;

/** Gets receipts of some acknowledged dispatches from the API, and verifies them as a stranger would, with the policy alone. */
export async function judgeReceipts(journals: Journal[], baseUrl: string, policy: Policy): Promise<string[]> {
  const found: string[] = [];
  for (const { sender, dispatches } of journals) {
    const client = new V1Client(sender.account, baseUrl);
    const acknowledged = dispatches.filter((dispatch) => settledOutcome(dispatch) === 'ok');
    const every = Math.max(1, Math.floor(acknowledged.length / sampled));
    for (const { message, files, receivers, isRevoked } of acknowledged.filter((_, index) => index % every === 0)) {
      const contains = encodeURIComponent(message);
      const { data } = await client.read<{ data: { id: string }[] }>('GET', `/drops?contains=${contains}`);
      for (const position of receivers.keys()) {
        const what = `receipt ${position} of ${message}`;
        const path = `/drops/${data[0]?.id}/receivers/${position}/receipt.json`;
        const bytes = await eventually(what, async () => {
          const response = await client.ask('GET', path);
          return response.ok ? Buffer.from(await response.arrayBuffer()) : undefined;
        });
        const { problems, facts } = await verifyReceipt(bytes, policy);
        if (!facts) {
          found.push(`${what}: ${problems.map((problem) => problem.message).join(' ')}`);
          continue;
        }
        const proven = {
          to: facts.consignments.map(({ address }) => address),
          files: toNames(facts.submission.files),
          isRevoked: facts.end?.kind === 'revoked',
        };
        const expected = { to: [receivers[position]], files: toNames(files), isRevoked: isRevoked ?? false };
        if (JSON.stringify(proven) !== JSON.stringify(expected))
          found.push(`${what}: proves ${JSON.stringify(proven)}, not ${JSON.stringify(expected)}`);
      }
    }
  }
  return found;
}

const toNames = (files: readonly { name: string; sha256: string }[]) =>
  files.map(({ name, sha256 }) => `${name} ${sha256}`).toSorted();
