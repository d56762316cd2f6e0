import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { Button } from '../../shared/components/button.tsx';

/** How far the files of the composer have come. */
export interface ComposerProgress {
  readonly fileCount: number;
  readonly totalBytes: number;
  readonly sentBytes: number;
  readonly secondsLeft: number | undefined;
  readonly isReady: boolean;
  /** Whether Send was pressed, and it waits for the files or is being sent. */
  readonly intent: 'none' | 'waiting' | 'sending';
  /** How many files cannot be sent, or have to be chosen again, and what to do about it. */
  readonly stoppedCount?: number;
  readonly missingCount?: number;
  readonly hint?: string;
}

export interface ComposerBarProps {
  readonly receiverCount: number;
  readonly hasMessage: boolean;
  readonly notify: boolean;
  /** Known to the script alone. */
  readonly progress?: ComposerProgress | undefined;
  readonly onCancel?: (() => void) | undefined;
}

/** The lower edge of the composer: what is still missing or on its way, and the button, which says how many people get it. */
export function ComposerBar(props: ComposerBarProps): JSX.Element {
  const translator = useTranslator();
  const hintId = useId();
  const { receiverCount, notify, progress } = props;
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
        <p class="quiet small" id={hintId}>
          {toHint(translator, props, isMoving)}
        </p>
      </div>
      {intent === 'waiting' && (
        <Button type="button" look="plain" onClick={props.onCancel}>
          {translator.t('island.cancel')}
        </Button>
      )}
      <Button look="main" icon="send" busy={intent !== 'none'} aria-describedby={hintId}>
        {receiverCount === 0
          ? translator.t(notify ? 'composer.send' : 'composer.makeLink')
          : translator.t(notify ? 'composer.sendTo' : 'composer.makeLinks', { count: receiverCount })}
      </Button>
    </>
  );
}

function toHint(translator: ViewTranslator, props: ComposerBarProps, isMoving: boolean): string {
  const { receiverCount, hasMessage, progress } = props;
  // Without a script, nobody knows what is in the form.
  if (!progress) return translator.t('composer.hint.nothing');
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
