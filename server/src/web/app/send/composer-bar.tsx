import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { Button } from '../../shared/components/button.tsx';

/** Whether people send files, or ask for them. */
export type ComposerKind = 'send' | 'ask';

/** How far the files of the composer have come. */
export interface ComposerProgress {
  readonly fileCount: number;
  readonly totalBytes: number;
  readonly sentBytes: number;
  readonly secondsLeft: number | undefined;
  readonly isReady: boolean;
  /** Whether Send was pressed, and it waits for the files or is being sent. */
  readonly intent: 'none' | 'waiting' | 'sending';
  /** Why nothing moves, which is more than what is missing in the form. */
  readonly obstacle?: 'signedOut' | 'offline' | undefined;
  /** How many files cannot be sent, or have to be chosen again, and what to do about it. */
  readonly stoppedCount?: number;
  readonly missingCount?: number;
  readonly hint?: string;
}

/** A fault in the form, and where it is. */
export interface Fault {
  readonly href: string;
  readonly text: string;
}

export interface ComposerBarProps {
  readonly kind: ComposerKind;
  readonly receiverCount: number;
  readonly hasMessage: boolean;
  readonly notify: boolean;
  /** How many files are wanted. */
  readonly wantedCount?: number;
  readonly fault?: Fault | undefined;
  /** Known to the script alone. */
  readonly progress?: ComposerProgress | undefined;
  readonly onCancel?: (() => void) | undefined;
}

/** The lower edge of the composer: what is still missing or on its way, and the button, which says how many people get it. */
export function ComposerBar(props: ComposerBarProps): JSX.Element {
  const translator = useTranslator();
  const hintId = useId();
  const { kind, fault, progress } = props;
  const isMoving = progress !== undefined && progress.fileCount > 0 && !progress.isReady;
  const intent = progress?.intent ?? 'none';
  return (
    <>
      {isMoving && (
        <progress
          value={progress.sentBytes}
          max={Math.max(1, progress.totalBytes)}
          aria-label={translator.t('composer.allFiles')}
        />
      )}
      <div class="send-bar-text">
        {isMoving && (
          <p>
            <b>
              {translator.t('composer.progress', {
                sent: translator.formatSize(progress.sentBytes),
                total: translator.formatSize(progress.totalBytes),
              })}
            </b>
            {progress.secondsLeft !== undefined && (
              <span class="quiet">
                {' · '}
                {translator.t('island.left', { time: translator.formatDuration(progress.secondsLeft) })}
              </span>
            )}
          </p>
        )}
        {fault && intent !== 'sending' ? (
          <p class="send-bar-fault small" id={hintId}>
            <a href={fault.href}>{fault.text}</a>
          </p>
        ) : (
          <p class="quiet small" id={hintId}>
            {toHint(translator, props, isMoving)}
          </p>
        )}
      </div>
      {intent === 'waiting' && (
        <Button type="button" look="plain" onClick={props.onCancel}>
          {translator.t('island.cancel')}
        </Button>
      )}
      <Button look="main" icon={kind === 'ask' ? 'request' : 'send'} busy={intent !== 'none'} aria-describedby={hintId}>
        {toLabel(translator, props)}
      </Button>
    </>
  );
}

const labels = {
  send: { one: 'composer.send', many: 'composer.sendTo' },
  ask: { one: 'requests.ask', many: 'composer.askPeople' },
  links: { one: 'composer.makeLink', many: 'composer.makeLinks' },
} as const;

function toLabel(translator: ViewTranslator, { kind, receiverCount, notify }: ComposerBarProps): string {
  const { one, many } = labels[notify ? kind : 'links'];
  return receiverCount === 0 ? translator.t(one) : translator.t(many, { count: receiverCount });
}

/** One status: why nothing moves comes before how far it is, and that before what is missing in the form. */
function toHint(translator: ViewTranslator, props: ComposerBarProps, isMoving: boolean): string {
  const { kind, receiverCount, hasMessage, progress } = props;
  if (kind === 'ask') return toAskHint(translator, props);
  // Without a script, nobody knows what is in the form.
  if (!progress) return translator.t('composer.hint.nothing');
  if (progress.obstacle === 'signedOut') return translator.t('composer.hint.signedOut');
  if (progress.obstacle === 'offline') {
    return translator.t(progress.intent === 'none' ? 'composer.hint.offline' : 'composer.hint.offlineSoon');
  }
  if (progress.intent === 'sending') return translator.t('island.sending');
  const { stoppedCount = 0, missingCount = 0, hint = '' } = progress;
  if (stoppedCount + missingCount > 0 && hint !== '') return hint;
  if (progress.intent === 'waiting') return translator.t('composer.hint.waiting');
  const hasContent = progress.fileCount > 0 || hasMessage;
  if (!hasContent && receiverCount === 0) return translator.t('composer.hint.nothing');
  if (!hasContent) return translator.t('composer.hint.noContent');
  if (receiverCount === 0) return translator.t('composer.hint.nobody');
  if (isMoving) return translator.t('composer.hint.moving');
  if (progress.fileCount === 0) return translator.t('composer.hint.messageOnly');
  return `${translator.t('sent.count', { count: progress.fileCount })}, ${translator.formatSize(progress.totalBytes)}`;
}

function toAskHint(translator: ViewTranslator, { receiverCount, wantedCount = 0 }: ComposerBarProps): string {
  if (receiverCount === 0) return translator.t('composer.hint.askNobody');
  const people = translator.t('composer.hint.people', { count: receiverCount });
  const account = translator.t('composer.hint.noAccount');
  return wantedCount === 0
    ? `${people}. ${account}`
    : `${people}, ${translator.t('composer.hint.wanted', { count: wantedCount })}. ${account}`;
}
