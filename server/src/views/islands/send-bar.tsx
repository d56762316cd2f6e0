import type { JSX } from 'preact';
import { Banner } from '../components/banner.tsx';
import { Button } from '../components/button.tsx';
import { useWords, type ViewWords } from '../components/words-context.ts';
import type { SendWish } from './send-wish.ts';
import type { UploadState } from './upload-entry.ts';
import type { UploadQueue } from './upload-queue.ts';

/** The overall progress and "Send": once there are files, in view wherever in their list the person is. */
export function SendBar(props: {
  queue: UploadQueue;
  wish: SendWish;
  isOnline: boolean;
  onSend: () => void;
  onCancel: () => void;
}): JSX.Element {
  const words = useWords();
  const { queue, wish } = props;
  const refused = countOf(queue, 'refused');
  const nothing = refused === queue.entries.length;
  const pressed = wish.state !== 'none';
  const busy = wish.state === 'sending' || (pressed && refused === 0);
  return (
    <div class={queue.entries.length > 0 ? 'send-bar send-bar-stuck' : 'send-bar'}>
      {queue.entries.length > 0 && <Total queue={queue} />}
      {!queue.reachable && (
        <Banner tone="warn">{words.t(props.isOnline ? 'island.unreachable' : 'island.offline')}</Banner>
      )}
      <div class="send">
        <Button
          look="main"
          type="button"
          disabled={nothing}
          busy={busy}
          aria-describedby="send-hint"
          onClick={() => busy || props.onSend()}
        >
          {sendLabel(words, wish, refused, nothing)}
        </Button>
        {pressed && (
          <Button type="button" disabled={wish.state === 'sending'} onClick={props.onCancel}>
            {words.t('island.cancel')}
          </Button>
        )}
      </div>
      <p id="send-hint" class={`small ${refused > 0 ? 'bad' : 'quiet'}`}>
        {sendHint(words, queue, wish)}
      </p>
    </div>
  );
}

function Total({ queue }: { queue: UploadQueue }): JSX.Element {
  const words = useWords();
  const { sentBytes, sizeBytes, bytesPerSecond } = queue.total;
  const amount = { sent: words.formatSize(sentBytes), size: words.formatSize(sizeBytes) };
  const count = { ready: countOf(queue, 'ready'), count: queue.entries.length };
  const isKnown = queue.busy && queue.reachable && bytesPerSecond !== undefined && bytesPerSecond > 0;
  return (
    <div class="upload-total small">
      <p>
        <strong>{words.t('island.progress', amount)}</strong>
        {isKnown && (
          <span>
            {words.t('island.left', { time: words.formatDuration((sizeBytes - sentBytes) / bytesPerSecond) })}
          </span>
        )}
      </p>
      <progress max={Math.max(1, sizeBytes)} value={sentBytes} aria-label={words.t('island.total')} />
      <p class="quiet">
        <span>{words.t('island.filesReady', count)}</span>
        {isKnown && <span>{words.t('island.speed', { size: words.formatSize(Math.round(bytesPerSecond)) })}</span>}
      </p>
    </div>
  );
}

function sendLabel(words: ViewWords, wish: SendWish, refused: number, nothing: boolean): string {
  if (wish.state === 'sending') return words.t('island.sending');
  if (refused > 0 && !nothing) return words.t('island.sendWithout', { count: refused });
  return words.t(wish.state === 'waiting' ? 'island.sendSoon' : 'upload.send');
}

/** What prevents sending, or what happens next. */
export function sendHint(words: ViewWords, queue: UploadQueue, wish: SendWish): string {
  const { entries } = queue;
  if (entries.length === 0) return '';
  const refused = countOf(queue, 'refused');
  if (refused === entries.length) return words.t('island.sendNone');
  if (refused > 0) return words.t('island.refusedSome', { count: refused });
  if (wish.state === 'none') return words.t(queue.ready ? 'island.sendReady' : 'island.sendAnytime');
  for (const [state, text] of Object.entries(obstacles)) {
    const count = countOf(queue, state as UploadState);
    if (count > 0) return words.t(text, { count });
  }
  return words.t('island.keepOpen');
}

const obstacles: Partial<Record<UploadState, string>> = {
  interrupted: 'island.waitInterrupted',
  failed: 'island.waitFailed',
  full: 'island.waitFailed',
  paused: 'island.waitPaused',
};

function countOf({ entries }: UploadQueue, wanted: UploadState): number {
  return entries.reduce((count, { state }) => count + Number(state === wanted), 0);
}
