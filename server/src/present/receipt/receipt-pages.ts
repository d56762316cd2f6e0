import type { PrintableReceipt } from '../../domain/ports/receipt-printer.ts';
import { toShades } from '../colors.ts';
import { drawQrCode } from '../draw-qr-code.ts';
import type { Operator } from '../operator.ts';
import { sortByPath } from '../texts/file-order.ts';
import { oneLine } from '../texts/plain.ts';
import type { Translator, Translators } from '../texts/translator.ts';
import { readStory, type Story } from './read-story.ts';
import type { StoryEvent } from './story-event.ts';
import { nameReceiver, type Step, tellSteps } from './tell-steps.ts';

/** A receipt, as its pages show it. */
export interface ShownReceipt extends Omit<PrintableReceipt, 'events'> {
  readonly events: readonly StoryEvent[];
  /** The address of the server, without a slash at its end. */
  readonly publicUrl: string;
}

/** Rows on the pages; a receipt with more has all of them in its attachment. */
const maxFiles = 200;
const maxSteps = 200;
/** The colour of Waybill, as in tokens.css. */
const ownShades = { accent: '#0b5d63', tint: '#e7efee' };

/** Writes receipts in the best available language for their readers. */
export function createReceiptWriter(translators: Translators, operator: Operator, publicUrl: string) {
  return (languages: readonly string[], { events, ...receipt }: PrintableReceipt) =>
    receiptPages(translators.for(languages, 'UTC'), operator, {
      ...receipt,
      events: events as readonly StoryEvent[],
      publicUrl,
    });
}

/** Writes the pages of a receipt, with all times in UTC: it is read by people in several places. */
export function receiptPages(translator: Translator, operator: Operator, receipt: ShownReceipt) {
  const { t } = translator;
  const { events, issuedAt, log, publicUrl } = receipt;
  const story = readStory(events);
  const { submission, consignment, files } = story;
  const isRequest = submission.type === 'request';
  const formatTime = makeTimeFormat(translator.locale, 'long');
  const formatShortTime = makeTimeFormat(translator.locale, 'medium');
  const steps = tellSteps(translator, story, events, formatShortTime);
  const receiver = oneLine(consignment.name || consignment.address);
  const tellProofs = () => ({
    heading: t('receipt.proves'),
    items: [
      t('receipt.proves.log', { operator: operator.name }),
      t('receipt.proves.gaps'),
      ...(files.length === 0 ? [] : [t('receipt.proves.files')]),
      ...(log.witnesses ?? []).map(({ name, at }) =>
        t('receipt.proves.witness', { name: oneLine(name), date: formatTime(at.toISOString()) }),
      ),
      ...(log.stamp ? [tellStamp(translator, log.stamp, formatTime)] : []),
    ],
  });
  return {
    language: translator.locale,
    title: t(isRequest ? 'receipt.requestTitle' : 'receipt.title'),
    reference: submission.reference,
    operator: {
      name: operator.name,
      ...(operator.color === undefined ? ownShades : toShades(operator.color).light),
      logo: operator.mailLogo,
    },
    issuedAt,
    result: {
      ...tellResult(translator, story, formatTime),
      detail: t('receipt.asOf', { date: formatTime(story.lastAt) }),
    },
    facts: [
      {
        label: t(isRequest ? 'receipt.requestedBy' : 'common.from'),
        value: oneLine(submission.sender.address),
      },
      {
        label: t(isRequest ? 'receipt.requestedFrom' : 'common.to'),
        value: receiver,
        detail: receiver === consignment.address ? undefined : oneLine(consignment.address),
      },
      { label: t(isRequest ? 'receipt.requestedAt' : 'receipt.acceptedAt'), value: formatTime(submission.at) },
      ...(story.expiresAt === null ? [] : [{ label: t('receipt.until'), value: formatTime(story.expiresAt) }]),
      { label: t('receipt.code'), value: t(codeTexts[consignment.code]) },
      { label: t('receipt.issuedAt'), value: formatTime(issuedAt.toISOString()) },
    ],
    files: files.length === 0 ? undefined : listFiles(translator, story, formatShortTime),
    story: {
      heading: t('receipt.story'),
      steps: steps.slice(0, maxSteps),
      note: steps.length > maxSteps ? t('receipt.moreSteps', { count: steps.length - maxSteps }) : undefined,
    },
    lists: [
      ...(story.isTest ? [] : [tellProofs()]),
      {
        heading: t('receipt.doubts'),
        items: [
          ...(isRequest ? tellRequestDoubts(translator, story) : tellDeliveryDoubts(translator, story)),
          ...(log.witnesses?.length === 0 ? [t('receipt.doubts.witness', { operator: operator.name })] : []),
          t('receipt.doubts.clock'),
          t('receipt.doubts.later', { date: formatTime(story.lastAt) }),
          t('receipt.doubts.pages'),
        ],
      },
    ],
    verification: {
      heading: t('receipt.verify'),
      steps: [
        t('receipt.verify.page', { address: `${publicUrl}/verify` }),
        t('receipt.verify.command', { command: 'waybill verify receipt.pdf --policy policy.txt' }),
        t('receipt.verify.policy', { address: `${publicUrl}/log/policy` }),
      ],
      facts: [
        { label: t('receipt.log'), value: log.origin },
        { label: t('receipt.checkpoint'), value: t('receipt.checkpointSize', { count: log.size }) },
      ],
      code: drawQrCode(`${publicUrl}/verify`),
    },
    missingCharacters: t('receipt.missingCharacters'),
    pageNumber: t('receipt.page', { page: '{page}', pages: '{pages}' }),
  };
}

const codeTexts = { none: 'delivery.codeOff', mail: 'delivery.codeMail', sms: 'delivery.codeSms' } as const;

function listFiles(
  { t, formatSize, locale }: Translator,
  { files, submission }: Story,
  formatTime: (at: string) => string,
) {
  const isRequest = submission.type === 'request';
  const columns = [
    t('receipt.fileName'),
    t('receipt.fileSize'),
    t(isRequest ? 'receipt.fileReceived' : 'receipt.fileTime'),
  ];
  const more = files.length - maxFiles;
  return {
    heading: t('receipt.files', { count: files.length }),
    columns: columns as [string, string, string],
    rows: sortByPath(files.slice(0, maxFiles), locale, ({ name }) => name).map(({ name, size, sha256, at }) => ({
      name: oneLine(name),
      digest: sha256.replace(/(.{8})(?!$)/g, '$1 '),
      size: formatSize(size),
      time: at === undefined ? t('receipt.notHandedOver') : formatTime(at),
      isHandedOver: at !== undefined,
    })),
    note: more > 0 ? t('receipt.moreFiles', { count: more }) : undefined,
  };
}

/** Says in one sentence how far it came. */
function tellResult(
  translator: Translator,
  story: Story,
  formatTime: (at: string) => string,
): { readonly tone: Step['tone']; readonly text: string } {
  const { t } = translator;
  const { files, submission, openedAt, notifiedAt, failedAt, ended } = story;
  if (story.isTest) return { tone: 'bad', text: t('receipt.test') };
  const times = files.flatMap(({ at }) => at ?? []);
  const count = times.length;
  const date = formatTime(times.reduce((latest, at) => (at > latest ? at : latest), ''));
  if (submission.type === 'request')
    return count === 0
      ? { tone: ended ? 'warn' : 'calm', text: t('receipt.unreceived') }
      : {
          tone: 'good',
          text: t('receipt.received', { count, date, contact: nameReceiver(translator, story.consignment) }),
        };
  if (files.length === 0)
    return openedAt === undefined
      ? { tone: ended ? 'warn' : 'calm', text: t('receipt.messageUnopened') }
      : { tone: 'good', text: t('receipt.messageOpened', { date: formatTime(openedAt) }) };
  if (count === files.length) return { tone: 'good', text: t('receipt.all', { count, date }) };
  if (count > 0) return { tone: 'warn', text: t('receipt.some', { count, of: files.length, date }) };
  if (ended)
    return {
      tone: 'warn',
      text: t(ended.kind === 'drop.expired' ? 'receipt.expired' : 'receipt.revoked', { date: formatTime(ended.at) }),
    };
  if (openedAt !== undefined) return { tone: 'calm', text: t('receipt.opened', { date: formatTime(openedAt) }) };
  if (failedAt !== undefined) return { tone: 'bad', text: t('receipt.failed', { date: formatTime(failedAt) }) };
  if (notifiedAt !== undefined) return { tone: 'calm', text: t('receipt.notified', { date: formatTime(notifiedAt) }) };
  return { tone: 'calm', text: t('receipt.accepted', { date: formatTime(submission.at) }) };
}

function tellStamp(
  { t }: Translator,
  { at, until }: NonNullable<ShownReceipt['log']['stamp']>,
  formatTime: (at: string) => string,
): string {
  return t('receipt.proves.stamp', { date: formatTime(at.toISOString()), until: formatTime(until) });
}

function tellDeliveryDoubts({ t }: Translator, { consignment, wasLinkShown }: Story): string[] {
  return [
    t(consignment.code === 'none' ? 'receipt.doubts.linkOnly' : 'receipt.doubts.linkAndCode'),
    ...(wasLinkShown ? [t('receipt.doubts.shown')] : []),
    t('receipt.doubts.device'),
  ];
}

function tellRequestDoubts({ t }: Translator, { consignment, wasLinkShown }: Story): string[] {
  return [
    t(consignment.code === 'none' ? 'receipt.doubts.contactLinkOnly' : 'receipt.doubts.contactLinkAndCode'),
    ...(wasLinkShown ? [t('receipt.doubts.contactShown')] : []),
    t('receipt.doubts.read'),
  ];
}

/** To the second: an expert compares them with other records. */
function makeTimeFormat(locale: string, dateStyle: 'long' | 'medium'): (at: string) => string {
  const format = new Intl.DateTimeFormat(locale, { dateStyle, timeStyle: 'long', timeZone: 'UTC' });
  return (at) => (at === '' ? '' : format.format(new Date(at)));
}
