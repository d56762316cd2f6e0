import type { JSX } from 'preact';
import { Icon, type IconName } from '../components/icon.tsx';
import { useWords, type ViewWords } from '../components/words-context.ts';
import type { Entry, UploadState } from './upload-queue.ts';

const states: Record<UploadState, string> = {
  waiting: 'island.state.waiting',
  uploading: 'island.state.uploading',
  paused: 'island.state.paused',
  offline: 'island.state.offline',
  failed: 'island.state.failed',
  complete: 'island.state.complete',
  interrupted: 'island.state.interrupted',
};

export function UploadRow(props: {
  entry: Entry;
  onPause: () => void;
  onResume: () => void;
  onRemove: () => void;
}): JSX.Element {
  const words = useWords();
  const { entry } = props;
  const { name, state } = entry;
  const moving = state === 'uploading' || state === 'waiting' || state === 'offline';
  return (
    <li class={`upload upload-${state}`}>
      <div class="upload-about">
        <p class="file-name">
          <bdi>{name}</bdi>
        </p>
        <p class="small upload-state">
          {state === 'complete' && <Icon name="check" />}
          {state === 'failed' && <Icon name="alert" />}
          <span>
            <span class="unbroken">{amount(words, entry)}</span> · {words.t(states[state])}
          </span>
        </p>
      </div>
      <div class="upload-actions">
        {moving && <Action icon="pause" label={words.t('island.pause')} name={name} onClick={props.onPause} />}
        {state === 'paused' && (
          <Action icon="play" label={words.t('island.resume')} name={name} onClick={props.onResume} />
        )}
        {state === 'failed' && (
          <Action icon="retry" label={words.t('island.retry')} name={name} onClick={props.onResume} />
        )}
        <Action icon="close" label={words.t('island.remove')} name={name} onClick={props.onRemove} />
      </div>
      {state !== 'complete' && (
        <progress max={Math.max(1, entry.sizeBytes)} value={entry.sentBytes} aria-label={name} />
      )}
    </li>
  );
}

export function Total(props: {
  sentBytes: number;
  sizeBytes: number;
  bytesPerSecond: number | undefined;
  moving: boolean;
}): JSX.Element {
  const words = useWords();
  const { sentBytes, sizeBytes, bytesPerSecond } = props;
  const known = props.moving && bytesPerSecond !== undefined && bytesPerSecond > 0;
  const details = known
    ? [
        words.t('island.speed', { size: words.formatSize(Math.round(bytesPerSecond)) }),
        words.t('island.left', { time: words.formatDuration((sizeBytes - sentBytes) / bytesPerSecond) }),
      ]
    : [];
  return (
    <div class="upload-total">
      <p class="small">
        <strong>{words.t('island.total')}</strong> {[progress(words, sentBytes, sizeBytes), ...details].join(' · ')}
      </p>
      <progress max={Math.max(1, sizeBytes)} value={sentBytes} aria-label={words.t('island.total')} />
    </div>
  );
}

function amount(words: ViewWords, { state, sentBytes, sizeBytes }: Entry): string {
  return state === 'complete' ? words.formatSize(sizeBytes) : progress(words, sentBytes, sizeBytes);
}

function progress(words: ViewWords, sentBytes: number, sizeBytes: number): string {
  return words.t('island.progress', { sent: words.formatSize(sentBytes), size: words.formatSize(sizeBytes) });
}

function Action(props: { icon: IconName; label: string; name: string; onClick: () => void }): JSX.Element {
  const label = useWords().t('island.action', { action: props.label, name: props.name });
  return (
    <button class="button button-icon" type="button" aria-label={label} title={props.label} onClick={props.onClick}>
      <Icon name={props.icon} />
    </button>
  );
}
