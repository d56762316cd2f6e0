import type { JSX } from 'preact';
import { IconButton } from '../components/button.tsx';
import { FileName } from '../components/file-name.tsx';
import { Icon, type IconName } from '../components/icon.tsx';
import { scanTexts } from '../components/scan-texts.ts';
import { useTranslator, type ViewTranslator } from '../components/translator-context.ts';
import { type Entry, isDelivered, isMoving, type UploadState } from './upload-entry.ts';

const states: Record<UploadState, string> = {
  waiting: 'island.state.waiting',
  uploading: 'island.state.uploading',
  paused: 'island.state.paused',
  offline: 'island.state.offline',
  failed: 'island.state.failed',
  full: 'island.state.full',
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
  const translator = useTranslator();
  const { entry } = props;
  const { name, path = name, state, scan } = entry;
  return (
    <li class={`upload upload-${state}`}>
      <div class="upload-about">
        <FileName path={path} />
        <p class="small upload-state">
          {state === 'ready' && <Icon name="check" />}
          {(isFailed(state) || state === 'refused') && <Icon name="alert" />}
          <span>
            <span class="unbroken">{amount(translator, entry)}</span> · {translator.t(states[state])}
          </span>
        </p>
      </div>
      <div class="upload-actions">
        {isMoving(entry) && (
          <Action icon="pause" label={translator.t('island.pause')} name={path} onClick={props.onPause} />
        )}
        {state === 'paused' && (
          <Action icon="play" label={translator.t('island.resume')} name={path} onClick={props.onResume} />
        )}
        {isFailed(state) && (
          <Action icon="retry" label={translator.t('island.retry')} name={path} onClick={props.onResume} />
        )}
        <Action icon="close" label={translator.t('island.remove')} name={path} onClick={props.onRemove} />
      </div>
      <p class="small quiet upload-scan">{scan && translator.t(scanTexts[scan])}</p>
      {/* The duration of a check is unknown, so its bar shows no amount. */}
      {state === 'checking' && <progress aria-label={path} />}
      {!isDelivered(entry) && <progress max={Math.max(1, entry.sizeBytes)} value={entry.sentBytes} aria-label={path} />}
    </li>
  );
}

function isFailed(state: UploadState): boolean {
  return state === 'failed' || state === 'full';
}

function amount(translator: ViewTranslator, entry: Entry): string {
  const [sent, size] = [translator.formatSize(entry.sentBytes), translator.formatSize(entry.sizeBytes)];
  return isDelivered(entry) ? size : translator.t('island.progress', { sent, size });
}

function Action(props: { icon: IconName; label: string; name: string; onClick: () => void }): JSX.Element {
  const label = useTranslator().t('island.action', { action: props.label, name: props.name });
  return <IconButton icon={props.icon} label={label} title={props.label} onClick={props.onClick} />;
}
