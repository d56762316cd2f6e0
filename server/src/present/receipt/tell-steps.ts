import { formatName, oneLine } from '../texts/plain.ts';
import type { Translator } from '../texts/translator.ts';
import type { Story } from './read-story.ts';
import type { StoryEvent } from './story-event.ts';

export interface Step {
  readonly time: string;
  readonly text: string;
  readonly tone: 'good' | 'warn' | 'bad' | 'calm';
}

/** Files that are handed over right after one another are one step: the list of files has each with its time. */
export function tellSteps(
  translator: Translator,
  story: Story,
  events: readonly StoryEvent[],
  formatTime: (at: string) => string,
): Step[] {
  const steps: Step[] = [];
  for (let index = 0; index < events.length; index += 1) {
    const event = events[index] as StoryEvent;
    let count = 1;
    if (event.kind === 'content.handed_over') while (events[index + count]?.kind === 'content.handed_over') count += 1;
    const last = events[index + count - 1] ?? event;
    index += count - 1;
    const text =
      count > 1
        ? translator.t('receipt.step.handedOverMany', { count })
        : tellEvent(translator, story, event, formatTime);
    steps.push({ time: formatTime(last.at), text, tone: chooseTone(event) });
  }
  return steps;
}

function tellEvent(
  translator: Translator,
  story: Story,
  event: StoryEvent,
  formatTime: (at: string) => string,
): string {
  const { t } = translator;
  const isRequest = story.submission.type === 'request';
  switch (event.kind) {
    case 'submission.accepted': {
      const sender = oneLine(event.data.sender.address);
      if (event.data.type === 'request') return t('receipt.step.requested', { sender });
      const count = event.data.files.length;
      return count === 0
        ? t('receipt.step.messageSubmitted', { sender })
        : t('receipt.step.submitted', { sender, count });
    }
    case 'content.consigned':
      if (event.data.shared === 'named') return t('receipt.step.consignedNamed');
      if (event.data.shared === 'anybody') return t('receipt.step.consignedAnybody');
      return t('receipt.step.consigned', { receiver: nameReceiver(translator, event.data) });
    case 'drop.extended':
      return t('receipt.step.extended', { date: formatTime(event.data.expires_at ?? '') });
    case 'drop.expired':
      return t(isRequest ? 'receipt.step.requestExpired' : 'receipt.step.expired');
    case 'drop.revoked':
      return t(isRequest ? 'receipt.step.requestClosed' : 'receipt.step.revoked');
    case 'drop.restored':
      return t('receipt.step.restored');
    case 'notification.sent':
      return t(event.data.channel === 'sms' ? 'receipt.step.smsSent' : 'receipt.step.mailSent', {
        to: oneLine(event.data.to),
      });
    case 'notification.accepted':
      return t('receipt.step.mailAccepted', { to: oneLine(event.data.to) });
    case 'notification.failed':
      return t('receipt.step.failed', { to: oneLine(event.data.to), reason: oneLine(event.data.reason) });
    case 'link.shown':
      return t('receipt.step.shown', { by: oneLine(event.data.by) });
    case 'link.revoked':
      return t('receipt.step.linkRevoked');
    case 'link.opened':
      return t('receipt.step.opened');
    case 'link.downloaded':
      return t('receipt.step.linkDownloaded', { count: event.data.downloads });
    case 'code.entered':
      return t(event.data.channel === 'sms' ? 'receipt.step.codeSms' : 'receipt.step.codeMail');
    case 'passphrase.entered':
      return t('receipt.step.passphrase');
    case 'content.handed_over':
      return t('receipt.step.handedOver', { name: oneLine(event.data.file.name) });
    case 'content.received': {
      const { reference, files } = event.data;
      const receiver = nameReceiver(translator, story.consignment);
      return t('receipt.step.received', { receiver, reference, count: files.length });
    }
    case 'key.destroyed':
      return t('receipt.step.destroyed');
    case 'log.started':
    case 'log.key_added':
    case 'log.key_retired':
    default:
      // An event of a later version.
      return t('receipt.step.other', { kind: oneLine((event as { kind: string }).kind) });
  }
}

export function nameReceiver({ t }: Translator, { address, name, shared }: Story['consignment']): string {
  if (shared) return t(shared === 'named' ? 'receipt.named' : 'receipt.anybody');
  return oneLine(formatName(name === undefined || name === '' ? address : name, address));
}

function chooseTone({ kind }: StoryEvent): Step['tone'] {
  if (kind === 'link.downloaded' || kind === 'content.handed_over' || kind === 'content.received') return 'good';
  if (kind === 'notification.failed') return 'bad';
  return kind === 'drop.expired' || kind === 'drop.revoked' || kind === 'link.shown' || kind === 'link.revoked'
    ? 'warn'
    : 'calm';
}
