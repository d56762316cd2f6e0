import type { ComponentChildren, JSX } from 'preact';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { Button, IconButton } from '../components/button.tsx';
import { FileName } from '../components/file-name.tsx';
import { FileIcon } from '../components/file-row.tsx';
import { Icon, type IconName } from '../components/icon.tsx';
import { ScanNote } from '../components/scan-note.tsx';
import { type Entry, isDelivered, isMoving, type UploadState } from './upload-entry.ts';

/** Of files that can be sent. */
const states: Partial<Record<UploadState, string>> = {
  waiting: 'island.state.waiting',
  uploading: 'island.state.uploading',
  paused: 'island.state.paused',
  offline: 'island.state.offline',
  interrupted: 'island.state.interrupted',
  checking: 'island.state.checking',
  ready: 'island.state.ready',
};

export interface RowActions {
  readonly onPause: () => void;
  readonly onResume: () => void;
  readonly onRemove: () => void;
  /** Lets the person choose the file again. */
  readonly onChooseAgain: () => void;
}

/** A file that is on its way, or ready. */
export function UploadRow({ entry, ...actions }: { entry: Entry } & RowActions): JSX.Element {
  const translator = useTranslator();
  const { name, path = name, state, scan } = entry;
  const chooseAgain = translator.t('island.chooseAgain');
  /** The browser only asks whether it may be read. */
  const isKept = state === 'interrupted' && entry.kept !== undefined;
  return (
    <Row entry={entry} {...actions}>
      <p class="small upload-state">
        {state === 'ready' && <Icon name="check" small />}
        <span>
          <span class="unbroken">{amount(translator, entry)}</span>
          {/* While the amount grows, it says enough, and fits on a line. */}
          {hasGrown(entry) || ` · ${translator.t(isKept ? 'composerFiles.kept' : (states[state] ?? ''))}`}
        </span>
      </p>
      {state === 'interrupted' && !isKept && (
        <Button
          type="button"
          aria-label={translator.t('island.action', { action: chooseAgain, name: path })}
          onClick={actions.onChooseAgain}
        >
          {chooseAgain}
        </Button>
      )}
      {scan === 'unscanned' && (
        <p class="small">
          <ScanNote scan={scan} unscannedReason={entry.unscannedReason} />
        </p>
      )}
      {/* The duration of a check is unknown, so its bar shows no amount. */}
      {state === 'checking' && <progress aria-label={path} />}
      {!isDelivered(entry) && <progress max={Math.max(1, entry.sizeBytes)} value={entry.sentBytes} aria-label={path} />}
    </Row>
  );
}

/** A file that cannot be sent, and why. */
export function StoppedRow({ entry, why, ...actions }: { entry: Entry; why: string } & RowActions): JSX.Element {
  const translator = useTranslator();
  return (
    <Row entry={entry} {...actions}>
      <p class="small upload-state">
        <span>
          <span class="unbroken">{translator.formatSize(entry.sizeBytes)}</span> · {why}
        </span>
      </p>
    </Row>
  );
}

function Row({ entry, children, ...actions }: { entry: Entry; children: ComponentChildren } & RowActions): JSX.Element {
  const translator = useTranslator();
  const { name, path = name, state } = entry;
  return (
    <li class={`file upload upload-${state}`} data-entry={entry.key}>
      <FileIcon name={path} />
      <div class="file-about">
        <FileName path={path} />
        {children}
      </div>
      <div class="upload-actions">
        {isMoving(entry) && (
          <Action icon="pause" label={translator.t('island.pause')} name={path} onClick={actions.onPause} />
        )}
        {state === 'paused' && (
          <Action icon="play" label={translator.t('island.resume')} name={path} onClick={actions.onResume} />
        )}
        {state === 'failed' && (
          <Action icon="retry" label={translator.t('island.retry')} name={path} onClick={actions.onResume} />
        )}
        <Action icon="close" label={translator.t('island.remove')} name={path} onClick={actions.onRemove} />
      </div>
    </li>
  );
}

function hasGrown({ state, sentBytes }: Entry): boolean {
  return state === 'uploading' && sentBytes > 0;
}

function amount(translator: ViewTranslator, entry: Entry): string {
  const [sent, size] = [translator.formatSize(entry.sentBytes), translator.formatSize(entry.sizeBytes)];
  return isDelivered(entry) || entry.sentBytes === 0 ? size : translator.t('island.progress', { sent, size });
}

function Action(props: { icon: IconName; label: string; name: string; onClick: () => void }): JSX.Element {
  const label = useTranslator().t('island.action', { action: props.label, name: props.name });
  return <IconButton icon={props.icon} label={label} title={props.label} onClick={props.onClick} />;
}
