import type { JSX } from 'preact';
import { Banner } from '../components/banner.tsx';
import { Button } from '../components/button.tsx';
import { useTranslator, type ViewTranslator } from '../components/translator-context.ts';
import type { SendIntent } from './send-intent.ts';
import type { UploadState } from './upload-entry.ts';
import type { UploadQueue } from './upload-queue.ts';

/** The overall progress and "Send", always in view once there are files. */
export function SendBar(props: {
  queue: UploadQueue;
  intent: SendIntent;
  isOnline: boolean;
  onSend: () => void;
  onCancel: () => void;
}): JSX.Element {
  const translator = useTranslator();
  const { queue, intent } = props;
  const refused = countEntries(queue, 'refused');
  const nothing = refused === queue.entries.length;
  const pressed = intent.state !== 'none';
  const busy = intent.state === 'sending' || (pressed && refused === 0);
  return (
    <div class={queue.entries.length > 0 ? 'send-bar send-bar-stuck' : 'send-bar'}>
      {queue.entries.length > 0 && <Total queue={queue} />}
      {!queue.reachable && (
        <Banner tone="warn">{translator.t(props.isOnline ? 'island.unreachable' : 'island.offline')}</Banner>
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
          {sendLabel(translator, intent, refused, nothing)}
        </Button>
        {pressed && (
          <Button type="button" disabled={intent.state === 'sending'} onClick={props.onCancel}>
            {translator.t('island.cancel')}
          </Button>
        )}
      </div>
      <p id="send-hint" class={`small ${refused > 0 ? 'bad' : 'quiet'}`}>
        {sendHint(translator, queue, intent)}
      </p>
    </div>
  );
}

function Total({ queue }: { queue: UploadQueue }): JSX.Element {
  const translator = useTranslator();
  const { sentBytes, sizeBytes, bytesPerSecond } = queue.total;
  const amount = { sent: translator.formatSize(sentBytes), size: translator.formatSize(sizeBytes) };
  const count = { ready: countEntries(queue, 'ready'), count: queue.entries.length };
  const isKnown = queue.busy && queue.reachable && bytesPerSecond !== undefined && bytesPerSecond > 0;
  return (
    <div class="upload-total small">
      <p>
        <strong>{translator.t('island.progress', amount)}</strong>
        {isKnown && (
          <span>
            {translator.t('island.left', { time: translator.formatDuration((sizeBytes - sentBytes) / bytesPerSecond) })}
          </span>
        )}
      </p>
      <progress max={Math.max(1, sizeBytes)} value={sentBytes} aria-label={translator.t('island.total')} />
      <p class="quiet">
        <span>{translator.t('island.filesReady', count)}</span>
        {isKnown && (
          <span>{translator.t('island.speed', { size: translator.formatSize(Math.round(bytesPerSecond)) })}</span>
        )}
      </p>
    </div>
  );
}

function sendLabel(translator: ViewTranslator, intent: SendIntent, refused: number, nothing: boolean): string {
  if (intent.state === 'sending') return translator.t('island.sending');
  if (refused > 0 && !nothing) return translator.t('island.sendWithout', { count: refused });
  return translator.t(intent.state === 'waiting' ? 'island.sendSoon' : 'upload.send');
}

/** Says what prevents sending, or what happens next. */
export function sendHint(translator: ViewTranslator, queue: UploadQueue, intent: SendIntent): string {
  const { entries } = queue;
  if (entries.length === 0) return '';
  const refused = countEntries(queue, 'refused');
  if (refused === entries.length) return translator.t('island.sendNone');
  if (refused > 0) return translator.t('island.refusedSome', { count: refused });
  if (intent.state === 'none') return translator.t(queue.ready ? 'island.sendReady' : 'island.sendAnytime');
  for (const [state, text] of Object.entries(obstacles)) {
    const count = countEntries(queue, state as UploadState);
    if (count > 0) return translator.t(text, { count });
  }
  return translator.t('island.keepOpen');
}

const obstacles: Partial<Record<UploadState, string>> = {
  interrupted: 'island.waitInterrupted',
  failed: 'island.waitFailed',
  full: 'island.waitFailed',
  paused: 'island.waitPaused',
};

function countEntries({ entries }: UploadQueue, wanted: UploadState): number {
  return entries.reduce((count, { state }) => count + Number(state === wanted), 0);
}
