/**
 * The checker of a fault test. It knows what a client requested and what response it got, and examines the API, the
 * bucket, the database, the mailbox and the processes for violations of these guarantees:
 *
 *   acknowledged upload    it is listed, or in its drop, and downloads byte for byte
 *   nothing partial        every visible file is complete and is what a client sent
 *   acknowledged dispatch  exactly one drop, with a link and a mail for each receiver, and all its files; one without a
 *                          response exists once and is complete, or does not exist; a refused one does not exist
 *   links                  a mailed link works until its drop ends and not after; no account reads another's inbox
 *   mails                  each is sent or visibly given up, to its receivers and no one else; a second copy only if a
 *                          crash or a lost reply explains it, and with the same Message-ID
 *   clean bucket           its objects are those of ready files and of uploads in progress, and no ready file lacks one
 *   usage                  what counts against an account's quota is what it stores and has reserved
 *   evidence               the published log has each event of an acknowledged dispatch exactly once: its submission, a
 *                          consignment and a notification for each receiver, each file that was handed over
 *   scanned                if scanning is required, nothing infected was accepted and nothing unscanned is kept
 *
 * `conduct.ts` checks the processes themselves (no secret in a log, no unplanned end, bounded memory).
 */
import { createHash } from 'node:crypto';
import { linkTokens } from '../lib/people/mailbox.ts';
import { demoInside, type Inside } from '../lib/servers/exchange-internals.ts';
import {
  type AccountEvidence,
  type DropRow,
  type Evidence,
  gather,
  mailsAbout,
  settle,
  toObjectKeys,
} from './evidence.ts';
import { type IntendedDispatch, type Journal, type SentFile, settledOutcome } from './journal.ts';
import { judgeEntries } from './judge-evidence.ts';

export interface Terms {
  /** The Waybill to examine, by default the demo. */
  readonly inside?: Inside;
  /**
   * The number of mails that may have arrived twice: one for each fault that can end a sender between "sent" and
   * "recorded".
   */
  readonly doubledMails?: number;
  /** Whether the policy is `required`. */
  readonly scanned?: boolean;
  /** Whether dispatches are by processes that write no evidence. */
  readonly withoutEvidence?: boolean;
}

/** Returns every violation as a readable line. */
export async function check(journals: Journal[], terms: Terms = {}): Promise<string[]> {
  await settle(terms.inside ?? demoInside, journals);
  return await judge(journals, terms);
}

/** Does the same without waiting for unfinished work. */
export async function judge(journals: Journal[], terms: Terms = {}): Promise<string[]> {
  const evidence = await gather(terms.inside ?? demoInside, journals);
  return [
    ...journals.flatMap((journal) => [
      ...judgeUploads(journal, accountEvidence(evidence, journal), evidence),
      ...judgeVisible(journal, accountEvidence(evidence, journal)),
      ...judgeDispatches(journal, accountEvidence(evidence, journal), evidence),
      ...judgeInfected(journal, evidence),
      ...(terms.withoutEvidence ? [] : judgeLogged(journal, accountEvidence(evidence, journal), evidence)),
    ]),
    ...judgeMails(journals, evidence, terms.doubledMails ?? 0),
    ...(terms.scanned ? judgeScans(evidence) : []),
    ...judgeBucket(evidence),
    ...judgeUsage(evidence),
  ];
}

function judgeUploads(journal: Journal, { staged }: AccountEvidence, { files }: Evidence): string[] {
  const found: string[] = [];
  for (const upload of journal.uploads) {
    if (settledOutcome(upload) !== 'ok') continue;
    const dispatched = journal.dispatches.filter((dispatch) => dispatch.draft === upload.draft);
    for (const file of upload.files) {
      const what = `acknowledged upload ${file.name}`;
      const taken = dispatched.find((dispatch) => dispatch.files.some(({ name }) => name === file.name));
      // Acknowledged dispatches account for their files themselves; one without a response may or may not have used it.
      if (taken && settledOutcome(taken) === 'ok') continue;
      const isStaged = staged.get(upload.draft)?.includes(file.name) ?? false;
      const row = files.find(
        (candidate) =>
          candidate.sender === journal.sender.user &&
          candidate.draft === upload.draft &&
          candidate.name === file.name &&
          candidate.state === 'ready',
      );
      if (!isStaged && !(taken && row?.drop_id)) found.push(`${what}: is not listed`);
      else if (row?.sha256 !== file.sha256) found.push(`${what}: is kept with other bytes`);
    }
  }
  return found;
}

function judgeVisible(journal: Journal, { staged, inbox }: AccountEvidence): string[] {
  const found: string[] = [];
  const sent = [...journal.uploads, ...journal.dispatches];
  for (const [draft, names] of staged) {
    const toDraft = sent.filter((intention) => intention.draft === draft).flatMap((intention) => intention.files);
    const known = new Set(toDraft.map(({ name }) => name));
    for (const name of names) {
      if (!known.has(name)) found.push(`visible file ${name}: nobody sent it to draft ${draft}`);
      if (names.indexOf(name) !== names.lastIndexOf(name)) found.push(`visible file ${name}: is listed twice`);
    }
  }
  const bySentName = Map.groupBy(
    sent.flatMap((intention) => intention.files),
    (file) => file.name,
  );
  for (const { downloads } of inbox) {
    for (const [name, download] of downloads) {
      const matches = (file: SentFile) => 'sha256' in download && download.sha256 === file.sha256;
      if ('failure' in download) found.push(`visible file ${name}: does not download (${download.failure})`);
      else if (!bySentName.get(name)?.some(matches)) found.push(`visible file ${name}: is not what anybody sent`);
    }
  }
  return found;
}

function judgeDispatches(journal: Journal, api: AccountEvidence, evidence: Evidence): string[] {
  const found: string[] = [];
  const own = evidence.drops.filter((drop) => drop.sender === journal.sender.user);
  const byMessage = Map.groupBy(own, (drop) => drop.message);
  const entries = Map.groupBy(api.history, (entry) => entry.ddmessage);
  for (const dispatch of journal.dispatches) {
    const outcome = settledOutcome(dispatch);
    const what = `${outcome} dispatch ${dispatch.message}`;
    const drops = byMessage.get(dispatch.message) ?? [];
    const [min, max] = { ok: [1, 1], unknown: [0, 1], failed: [0, 0] }[outcome] as [number, number];
    if (drops.length < min || drops.length > max) found.push(`${what}: is ${drops.length} drops`);
    const inHistory = entries.get(dispatch.message) ?? [];
    if (inHistory.length !== drops.length) {
      found.push(`${what}: is ${inHistory.length} times in the history and ${drops.length} times in the database`);
    }
    for (const [index, drop] of drops.entries()) {
      found.push(...judgeDrop(dispatch, drop, evidence).map((problem) => `${what}: ${problem}`));
      found.push(...judgePages(dispatch, drop, api, evidence).map((problem) => `${what}: ${problem}`));
      found.push(...judgeDelivery(journal, dispatch, drop, api).map((problem) => `${what}: ${problem}`));
      const entry = inHistory[index];
      if (!entry) continue;
      if (!sameSet(addresses(entry.receivers), dispatch.receivers))
        found.push(`${what}: its history has other receivers`);
      if (!sameSet(names(entry.files), names(dispatch.files))) found.push(`${what}: its history has other files`);
    }
    const mayLackMails = drops.some((drop) => drop.ended);
    for (const receiver of dispatch.receivers) {
      // Counted by their Message-ID: judgeMails handles duplicates.
      const about = mailsAbout(evidence.mails, receiver, dispatch.message);
      const mails = new Set(about.map(({ email }) => email.messageId)).size;
      if (mails === drops.length || (mails === 0 && mayLackMails)) continue;
      found.push(`${what}: ${mails} mails to ${receiver} for ${drops.length} drops`);
    }
  }
  const intended = new Set(journal.dispatches.map((dispatch) => dispatch.message));
  for (const drop of own) if (!intended.has(drop.message)) found.push(`drop ${drop.message}: nobody asked for it`);
  return found;
}

/** The links and files of a drop in the database, and whether each mailed link is one of them. */
function judgeDrop(dispatch: IntendedDispatch, drop: DropRow, { files, mails }: Evidence): string[] {
  const found: string[] = [];
  if (!sameSet(addresses(drop.links), dispatch.receivers) || drop.receiver_count !== dispatch.receivers.length) {
    found.push(`has links for ${addresses(drop.links).join(', ') || 'nobody'}`);
  }
  const held = files.filter((file) => file.drop_id === drop.id);
  if (!sameSet(names(held), names(dispatch.files)) || drop.file_count !== dispatch.files.length) {
    found.push(`holds ${names(held).join(', ') || 'no files'}`);
  }
  for (const file of dispatch.files) {
    const row = held.find(({ name }) => name === file.name);
    const keptOther = row?.state === 'ready' && row.sha256 !== file.sha256;
    if (keptOther) found.push(`keeps ${file.name} with other bytes`);
  }
  for (const { email, digest } of drop.links) {
    const about = mailsAbout(mails, email, dispatch.message);
    const mailed = about.flatMap((mail) => linkTokens(mail, 'd')).map(sha256);
    if (about.length > 0 && !mailed.includes(digest)) found.push(`the mail to ${email} has another link`);
  }
  return found;
}

/** A mailed link leads to its page until the drop ends, and to "gone" afterwards. */
function judgePages(
  dispatch: IntendedDispatch,
  { ended }: DropRow,
  { pages }: AccountEvidence,
  { mails }: Evidence,
): string[] {
  const found: string[] = [];
  for (const receiver of dispatch.receivers) {
    for (const token of mailsAbout(mails, receiver, dispatch.message).flatMap((mail) => linkTokens(mail, 'd'))) {
      const expected = ended ? 410 : 200;
      const status = pages.get(token);
      if (status !== expected) found.push(`the link of ${receiver} returns ${status}, not ${expected}`);
    }
  }
  return found;
}

/**
 * A receiver with an account finds it exactly once in the inbox until it ends, with the bytes of every file as they
 * were sent.
 */
function judgeDelivery(
  journal: Journal,
  dispatch: IntendedDispatch,
  { ended }: DropRow,
  { inbox }: AccountEvidence,
): string[] {
  if (!dispatch.receivers.includes(journal.receiver.user)) return [];
  const found: string[] = [];
  const [first, ...more] = inbox.filter(({ entry }) => sameSet(names(entry.files), names(dispatch.files)));
  if (ended) return first ? ["is in the receiver's inbox after its end"] : [];
  if (first && first.toStranger !== 404) found.push(`another account gets ${first.toStranger} for its files`);
  if (!first || more.length > 0) return [`is ${first ? more.length + 1 : 0} times in the receiver's inbox`];
  for (const file of dispatch.files) {
    const download = first.downloads.get(file.name);
    if (!download || 'failure' in download || download.sha256 !== file.sha256) {
      found.push(`${file.name} does not arrive byte for byte`);
    }
  }
  return found;
}

function judgeLogged(
  { receiver, dispatches, sender }: Journal,
  { inbox }: AccountEvidence,
  evidence: Evidence,
): string[] {
  const ofDrop = Map.groupBy(evidence.entries, (entry) => entry.drop_id);
  const handedOver = inbox.flatMap(({ downloads }) =>
    [...downloads].flatMap(([file, download]) => ('sha256' in download ? [{ receiver: receiver.user, file }] : [])),
  );
  return dispatches.flatMap((dispatch) =>
    evidence.drops
      .filter((drop) => drop.sender === sender.user && drop.message === dispatch.message)
      .flatMap((drop) => judgeEntries(dispatch, drop, ofDrop.get(drop.id) ?? [], handedOver))
      .map((problem) => `${settledOutcome(dispatch)} dispatch ${dispatch.message}: ${problem}`),
  );
}

/** Nothing waits forever, no one else gets a mail, and every duplicate is explained and identical. */
function judgeMails(journals: Journal[], { drops, mails }: Evidence, doubledMails: number): string[] {
  const found: string[] = [];
  for (const drop of drops) {
    for (const { receiver, state } of drop.mails) {
      if (state === 'waiting') found.push(`drop ${drop.message}: its mail to ${receiver} still waits`);
    }
  }
  let doubled = 0;
  const written = new Set(journals.flatMap(({ dispatches }) => dispatches.flatMap(({ receivers }) => receivers)));
  const receiversByDrop = new Map(
    journals.flatMap(({ dispatches }) => dispatches.map(({ message, receivers }) => [message, receivers] as const)),
  );
  for (const [address, received] of mails) {
    const ids = received.map(({ email }) => email.messageId);
    if (written.has(address)) doubled += ids.length - new Set(ids).size;
    for (const { email } of received) {
      const [message = ''] = /message [\w-]+/.exec(email.text ?? '') ?? [];
      const named = receiversByDrop.get(message);
      if (named && !named.includes(address)) found.push(`mail about ${message}: went to ${address}`);
    }
  }
  if (doubled > doubledMails) found.push(`mails: ${doubled} came twice, and ${doubledMails} can be explained`);
  return found;
}

function judgeInfected(journal: Journal, { files }: Evidence): string[] {
  const found: string[] = [];
  for (const upload of journal.uploads) {
    if (!upload.infected) continue;
    if (settledOutcome(upload) === 'ok') found.push(`infected upload to ${upload.draft}: was acknowledged`);
    for (const { name } of upload.files) {
      const kept = files.some(
        (file) => file.sender === journal.sender.user && file.name === name && file.state === 'ready',
      );
      if (kept) found.push(`infected file ${name}: is kept`);
    }
  }
  return found;
}

function judgeScans({ files }: Evidence): string[] {
  return files
    .filter(({ state, scan }) => state === 'ready' && scan !== 'clean')
    .map(({ name, scan }) => `file ${name}: is ${scan} where scanning is required`);
}

function judgeBucket({ files, ownedKeys, strayKeys }: Evidence): string[] {
  const found = strayKeys.map((key) => `object ${key}: belongs to no file`);
  const allowed = new Set<string>();
  for (const file of files) {
    const underWay = (file.state === 'receiving' || file.state === 'checking') && file.leased;
    if (file.state !== 'ready' && !underWay) {
      if (file.state !== 'gone') found.push(`file ${file.id} (${file.name}): still ${file.state} after sweeping`);
      continue;
    }
    for (const key of toObjectKeys(file)) {
      allowed.add(key);
      if (!underWay && !ownedKeys.has(key)) found.push(`object ${key}: the ready file ${file.name} lacks it`);
    }
  }
  for (const key of ownedKeys) if (!allowed.has(key)) found.push(`object ${key}: its file does not need it`);
  return found;
}

function judgeUsage({ usage }: Evidence): string[] {
  return usage
    .filter(({ counted, stored }) => counted !== stored)
    .map(({ sender, counted, stored }) => `usage of ${sender}: is ${counted}, but it stores ${stored} bytes`);
}

function accountEvidence(evidence: Evidence, journal: Journal): AccountEvidence {
  const found = evidence.accounts.get(journal);
  if (!found) throw new Error('no evidence was gathered for a journal');
  return found;
}

const names = (files: { name: string }[]) => files.map(({ name }) => name);
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const addresses = (receivers: { email: string }[]) => receivers.map(({ email }) => email);

function sameSet(left: string[], right: string[]): boolean {
  return left.length === right.length && left.toSorted().join('\0') === right.toSorted().join('\0');
}
