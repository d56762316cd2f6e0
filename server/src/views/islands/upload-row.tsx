import type { JSX } from 'preact';
import { Icon, type IconName } from '../components/icon.tsx';
import { useWords, type ViewWords } from '../components/words-context.ts';
import { type Entry, isDelivered, isMoving, type UploadState } from './upload-entry.ts';

const states: Record<UploadState, string> = {
  waiting: 'island.state.waiting',
  uploading: 'island.state.uploading',
  paused: 'island.state.paused',
  offline: 'island.state.offline',
  failed: 'island.state.failed',
  interrupted: 'island.state.interrupted',
  checking: 'island.state.checking',
  ready: 'island.state.ready',
  refused: 'island.state.refused',
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
  return (
    <li class={`upload upload-${state}`}>
      <div class="upload-about">
        <p class="file-name">
          <bdi>{name}</bdi>
        </p>
        <p class="small upload-state">
          {state === 'ready' && <Icon name="check" />}
          {(state === 'failed' || state === 'refused') && <Icon name="alert" />}
          <span>
            <span class="unbroken">{amount(words, entry)}</span> · {words.t(states[state])}
          </span>
        </p>
      </div>
      <div class="upload-actions">
        {isMoving(entry) && <Action icon="pause" label={words.t('island.pause')} name={name} onClick={props.onPause} />}
        {state === 'paused' && (
          <Action icon="play" label={words.t('island.resume')} name={name} onClick={props.onResume} />
        )}
        {state === 'failed' && (
          <Action icon="retry" label={words.t('island.retry')} name={name} onClick={props.onResume} />
        )}
        <Action icon="close" label={words.t('island.remove')} name={name} onClick={props.onRemove} />
      </div>
      {/* How long a check takes nobody knows: its bar tells no amount. */}
      {state === 'checking' && <progress aria-label={name} />}
      {!isDelivered(entry) && <progress max={Math.max(1, entry.sizeBytes)} value={entry.sentBytes} aria-label={name} />}
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

function amount(words: ViewWords, entry: Entry): string {
  const { sentBytes, sizeBytes } = entry;
  return isDelivered(entry) ? words.formatSize(sizeBytes) : progress(words, sentBytes, sizeBytes);
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
