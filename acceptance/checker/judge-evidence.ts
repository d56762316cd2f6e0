import type { DropRow, EvidenceEntry } from './evidence.ts';
import type { IntendedDispatch, SentFile } from './journal.ts';

/** A file that a receiver got whole. */
export interface HandedOver {
  readonly receiver: string;
  readonly file: string;
}

/**
 * The entries of a drop: one for the submission, one consignment for each receiver, one for each mail that was sent and
 * each file that was handed over, one if it was revoked; each once, and in the published log.
 */
export function judgeEntries(
  dispatch: IntendedDispatch,
  drop: DropRow,
  entries: readonly EvidenceEntry[],
  handedOver: readonly HandedOver[],
): string[] {
  const found: string[] = [];
  const ofKind = (kind: string) => entries.filter((entry) => entry.kind === kind);
  const expect = (what: string, count: number, expected: number) => {
    if (count !== expected) found.push(`the log has ${count} times that ${what}, not ${expected} times`);
  };
  const submissions = ofKind('submission.accepted');
  expect('it was accepted', submissions.length, 1);
  for (const { data } of submissions)
    if (describeFiles(data.files ?? []) !== describeFiles(dispatch.files.map(toFile)))
      found.push('the log has other files');
  const consignments = ofKind('content.consigned');
  expect('it was consigned to somebody', consignments.length, dispatch.receivers.length);
  for (const receiver of dispatch.receivers) {
    const own = consignments.filter(({ data }) => data.address === receiver);
    expect(`it was consigned to ${receiver}`, own.length, 1);
    const positions = new Set(own.map(({ position }) => position));
    const sent = drop.mails.filter((mail) => mail.receiver === receiver && mail.state === 'sent').length;
    const told = ofKind('notification.sent').filter(({ data, position }) => {
      return positions.has(position) && data.purpose === 'invitation';
    });
    if (sent > 0) expect(`a mail was sent to ${receiver}`, told.length, sent);
    for (const { name } of dispatch.files) {
      const logged = ofKind('content.handed_over').filter(({ data, position }) => {
        return positions.has(position) && data.file?.name === name;
      });
      // A process that is killed after the last byte cannot record it; what was recorded is there once.
      const isKnown = handedOver.some((one) => one.receiver === receiver && one.file === name);
      if (isKnown || logged.length > 1) expect(`${receiver} got ${name}`, logged.length, 1);
    }
  }
  expect('it was revoked', ofKind('drop.revoked').length, dispatch.isRevoked ? 1 : 0);
  const waiting = entries.filter(({ published }) => !published).map(({ kind }) => kind);
  if (waiting.length > 0) found.push(`${waiting.join(', ')} is not in the published log`);
  return found;
}

const toFile = ({ name, sizeBytes, sha256 }: SentFile) => ({ name, size: sizeBytes, sha256 });

function describeFiles(files: readonly { name: string; size: number; sha256: string }[]): string {
  return files
    .map(({ name, size, sha256 }) => `${name} ${size} ${sha256}`)
    .toSorted()
    .join();
}
