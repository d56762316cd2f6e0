import type { JSX } from 'preact';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Icon, type IconName } from '../../shared/components/icon.tsx';
import type { Tone } from '../../shared/components/tone.ts';

export type Status =
  | 'sent'
  | 'linkCreated'
  | 'delivered'
  | 'opened'
  | 'downloaded'
  | 'undeliverable'
  | 'expired'
  | 'revoked';

export const statuses: Record<Status, { text: string; icon: IconName; tone: Tone }> = {
  sent: { text: 'status.sent', icon: 'send', tone: 'quiet' },
  linkCreated: { text: 'status.linkCreated', icon: 'link', tone: 'quiet' },
  delivered: { text: 'status.delivered', icon: 'mail', tone: 'calm' },
  opened: { text: 'status.opened', icon: 'eye', tone: 'calm' },
  downloaded: { text: 'status.downloaded', icon: 'check', tone: 'good' },
  undeliverable: { text: 'status.undeliverable', icon: 'alert', tone: 'bad' },
  expired: { text: 'status.expired', icon: 'clock', tone: 'warn' },
  revoked: { text: 'status.revoked', icon: 'stop', tone: 'quiet' },
};

export function StatusChip({ status }: { status: Status }): JSX.Element {
  const translator = useTranslator();
  const { text, icon, tone } = statuses[status];
  return (
    <span class={`status tone-${tone}`}>
      <Icon name={icon} small />
      {translator.t(text)}
    </span>
  );
}
