import type { JSX } from 'preact';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { ActionBar } from '../components/action-bar.tsx';
import { Button } from '../components/button.tsx';
import type { SendIntent } from './send-intent.ts';
import { isStopped, type UploadState } from './upload-entry.ts';
import type { UploadQueue } from './upload-queue.ts';

/** The overall progress and "Send", always in view once there are files. */
export function SendBar(props: {
  queue: UploadQueue;
  intent: SendIntent;
  /** Whether files can be sent only once. */
  once: boolean;
  onSend: () => void;
  onChooseAgain: () => void;
}): JSX.Element {
  const translator = useTranslator();
  const { queue, intent } = props;
  const { sentBytes, sizeBytes } = queue.total;
  const stopped = countStopped(queue);
  const count = queue.entries.length - stopped;
  const isBusy = intent.state === 'sending' || (intent.state === 'waiting' && stopped === 0);
  const [title, detail] = barText(translator, queue, intent);
  return (
    <ActionBar
      title={title}
      detail={detail}
      caution={props.once && translator.t('island.once')}
      edge={<progress max={Math.max(1, sizeBytes)} value={sentBytes} aria-label={translator.t('island.total')} />}
    >
      {needsFiles(queue, intent) ? (
        <Button look="main" type="button" aria-describedby="intent" onClick={props.onChooseAgain}>
          {translator.t('island.chooseAgain')}
        </Button>
      ) : (
        <Button
          look="main"
          type="button"
          busy={isBusy}
          aria-describedby="send-hint"
          onClick={() => isBusy || props.onSend()}
        >
          {translator.t(intent.state === 'sending' ? 'island.sending' : 'island.sendCount', { count })}
        </Button>
      )}
    </ActionBar>
  );
}

/** Whether "Send" was pressed, but files are missing that the person has to choose again. */
export function needsFiles(queue: UploadQueue, intent: SendIntent): boolean {
  return intent.state === 'waiting' && countStopped(queue) === 0 && countEntries(queue, 'interrupted') > 0;
}

/** Says in a few words how far it is. */
export function barText(
  translator: ViewTranslator,
  queue: UploadQueue,
  intent: SendIntent,
): [title: string, detail: string] {
  const { sentBytes, sizeBytes, bytesPerSecond } = queue.total;
  const stopped = countStopped(queue);
  if (intent.state === 'waiting' && stopped > 0)
    return [translator.t('island.notSent'), translator.t('island.cannot', { count: stopped })];
  const progress = translator.t('island.progress', {
    sent: translator.formatSize(sentBytes),
    size: translator.formatSize(sizeBytes),
  });
  if (!queue.reachable) return [progress, translator.t('island.noConnection')];
  const ready = translator.t('island.filesReady', {
    ready: countEntries(queue, 'ready'),
    count: queue.entries.length,
  });
  if (needsFiles(queue, intent)) return [translator.t('island.notSent'), ready];
  if (!queue.busy || bytesPerSecond === undefined || bytesPerSecond <= 0) {
    if (sentBytes < sizeBytes) return [progress, ready];
    return [
      ready,
      stopped > 0 ? translator.t('island.cannotShort', { count: stopped }) : translator.formatSize(sizeBytes),
    ];
  }
  const time = translator.formatDuration((sizeBytes - sentBytes) / bytesPerSecond);
  return [progress, translator.t('island.left', { time })];
}

/** Says what prevents sending, or what happens next. */
export function sendHint(translator: ViewTranslator, queue: UploadQueue, intent: SendIntent): string {
  const { entries } = queue;
  if (entries.length === 0) return '';
  const stopped = countStopped(queue);
  if (stopped === entries.length) return translator.t('island.sendNone');
  if (stopped > 0)
    return translator.t(intent.state === 'none' ? 'island.sendOthers' : 'island.heldBack', { count: stopped });
  const interrupted = countEntries(queue, 'interrupted');
  if (interrupted > 0) return translator.t('island.waitInterrupted', { count: interrupted });
  if (intent.state === 'none') return translator.t(queue.ready ? 'island.sendReady' : 'island.sendAnytime');
  const paused = countEntries(queue, 'paused');
  if (paused > 0) return translator.t('island.waitPaused', { count: paused });
  const isKept = entries.every(({ kept, state }) => kept !== undefined || state === 'ready');
  return translator.t(isKept ? 'composerFiles.keepOpen' : 'island.keepOpen');
}

export function countEntries({ entries }: UploadQueue, wanted: UploadState): number {
  return entries.filter(({ state }) => state === wanted).length;
}

export function countStopped({ entries }: UploadQueue): number {
  return entries.filter(isStopped).length;
}
