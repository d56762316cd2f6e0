import type { JSX, RefObject } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { ActionBar } from '../../shared/components/action-bar.tsx';
import { Banner } from '../../shared/components/banner.tsx';
import { Button } from '../../shared/components/button.tsx';
import { TextArea } from '../../shared/components/field.tsx';
import { Icon } from '../../shared/components/icon.tsx';
import { limitsText } from '../../shared/components/limits-text.ts';
import { Dialog } from '../../shared/components/overlay.tsx';
import { readPickedFiles } from '../../shared/islands/dropped-files.ts';
import { needsFiles, SendBar, sendHint } from '../../shared/islands/send-bar.tsx';
import type { SendIntent } from '../../shared/islands/send-intent.ts';
import { isStopped } from '../../shared/islands/upload-entry.ts';
import { UploadList } from '../../shared/islands/upload-list.tsx';
import type { UploadQueue } from '../../shared/islands/upload-queue.ts';
import { type FileLimits, useUploadFiles } from '../../shared/islands/use-upload-files.tsx';
import type { NumberedFile } from '../wanted-files.tsx';
import { type Places, WantedPicker } from './wanted-picker.tsx';

export interface UploadSettings extends FileLimits {
  readonly tusEndpoint: string;
  readonly filesEndpoint: string;
  readonly sendAction: string;
  readonly sentHref: string;
  readonly draftKey: string;
  /** Whether files can be sent only once. */
  readonly once: boolean;
  readonly wanted: readonly NumberedFile[];
}

/** The content of the form that the script replaces. */
export interface Before {
  readonly problems: readonly string[];
  /** On a slow connection, people choose files before the script is loaded, or while it starts. */
  readonly picker: HTMLInputElement | null;
  /** The id of the element that had the keyboard focus. */
  readonly focusedId: string | undefined;
}

export function UploadForm(props: {
  settings: UploadSettings;
  queue: UploadQueue;
  intent: SendIntent;
  before: Before;
  /** Which file is which of the wanted ones, as it was on an earlier visit. */
  places: Places;
  onPlaces: (places: Places) => void;
  onEnded: () => void;
}): JSX.Element {
  const { settings, queue, intent } = props;
  const translator = useTranslator();
  const [said, say] = useState('');
  const [places, setPlaces] = useState(props.places);
  const choose = useRef<HTMLButtonElement>(null);
  const textarea = useRef<HTMLTextAreaElement>(null);
  const question = useRef<HTMLDialogElement>(null);
  const { entries } = queue;
  const isEmpty = entries.length === 0;

  // Before the browser draws, so that choosing files moves the page once, and before the chosen files are scrolled to.
  useLayoutEffect(() => foldSubject(!isEmpty), [isEmpty]);

  const files = useUploadFiles({ queue, intent, limits: settings, say, problems: props.before.problems });

  useLayoutEffect(() => {
    queue.onEnded = props.onEnded;
    intent.onSent = () => location.replace(settings.sentHref);
    intent.onEnded = props.onEnded;
    intent.onFailed = () => files.setProblems([translator.t('island.sendFailed')]);
    const { picker, focusedId } = props.before;
    if (picker?.files?.length) void files.add(readPickedFiles(picker.files));
    // The dialog may still be open.
    picker?.addEventListener('change', () => void files.add(readPickedFiles(picker.files)));
    // A person who is writing a message can continue to write it.
    if (focusedId === 'message') textarea.current?.focus();
    else if (focusedId !== undefined) choose.current?.focus();
  }, [queue]);

  const send = () => {
    const isLeavingOut = settings.once && queue.entries.some(isStopped);
    if (isLeavingOut) question.current?.showModal();
    else sendRest();
  };
  const sendRest = () => {
    files.setProblems([]);
    intent.press();
    if (intent.state === 'waiting') say(translator.t('island.sendSoon'));
  };
  const cancel = () => {
    intent.cancel();
    say(translator.t('island.cancelled'));
  };
  const stopped = entries.filter(isStopped).length;
  const sendable = entries.length - stopped;
  const chooseButton = (
    <Button ref={choose} look="main" type="button" onClick={() => files.choose('files')}>
      {translator.t('island.chooseFiles')}
    </Button>
  );

  return (
    <div class={`stack upload-form${files.isOver ? ' drop-over' : ''}`}>
      {files.inputs}
      {settings.wanted.length > 0 && (
        <WantedPicker
          wanted={settings.wanted}
          entries={entries}
          places={places}
          onChange={(chosen) => {
            setPlaces(chosen);
            props.onPlaces(chosen);
          }}
          onAdd={(picked) => void files.add(picked)}
        />
      )}
      {isEmpty ? (
        <div class="drop">
          <Icon name="upload" />
          <p class="drop-hint">{translator.t('island.drop')}</p>
          <div class="drop-buttons">
            {chooseButton}
            <FolderButton onClick={() => files.choose('folder')} />
          </div>
          <p class="quiet small">{limitsText(translator, settings)}</p>
        </div>
      ) : (
        <div class="list-head">
          <h2 ref={files.heading} tabIndex={-1}>
            {translator.t('island.toSend', { count: sendable })}
          </h2>
          <div class="drop-buttons">
            <FolderButton onClick={() => files.choose('folder')} />
            {sendable > 0 && (
              <Button icon="plus" type="button" onClick={() => files.choose('files')}>
                {translator.t('island.addMore')}
              </Button>
            )}
          </div>
        </div>
      )}
      {files.banners}
      {intent.state !== 'none' && sendable > 0 && (
        <Banner
          tone={stopped > 0 ? 'warn' : 'calm'}
          id="intent"
          action={
            <Button look="plain" type="button" disabled={intent.state === 'sending'} onClick={cancel}>
              {translator.t('island.cancel')}
            </Button>
          }
        >
          {stopped === 0 && (
            <strong>{translator.t(needsFiles(queue, intent) ? 'island.needsYou' : 'island.sendSoon')} </strong>
          )}
          {sendHint(translator, queue, intent)}
        </Banner>
      )}
      {!isEmpty && (
        <UploadList
          entries={entries}
          row={files.row}
          onRemoveFolder={files.removeFolder}
          onRemoveInterrupted={() => {
            queue.removeAll('interrupted');
            intent.remember();
          }}
        />
      )}
      <TextArea
        ref={textarea}
        id="message"
        label={translator.t('upload.message')}
        maxLength={5000}
        value={intent.written}
        readOnly={intent.state === 'sending'}
        onInput={(event) => intent.write(event.currentTarget.value)}
      />
      {!isEmpty && (
        <div class="quiet small">
          <p>{limitsText(translator, { ...settings, once: false })}</p>
          <p id="send-hint">{intent.state === 'none' && sendHint(translator, queue, intent)}</p>
        </div>
      )}
      {sendable > 0 && (
        <SendBar
          queue={queue}
          intent={intent}
          once={settings.once}
          onSend={send}
          onChooseAgain={() => files.chooseAgain(entries.filter(({ state }) => state === 'interrupted'))}
        />
      )}
      {settings.once && stopped > 0 && <SendWithout dialog={question} count={stopped} onSend={sendRest} />}
      {!isEmpty && sendable === 0 && <ActionBar title={translator.t('island.nothing')}>{chooseButton}</ActionBar>}
      <p class="unseen" role="status" aria-live="polite">
        {said}
      </p>
    </div>
  );
}

function FolderButton({ onClick }: { onClick: () => void }): JSX.Element {
  return (
    <Button class="choose-folder" type="button" onClick={onClick}>
      {useTranslator().t('island.chooseFolder')}
    </Button>
  );
}

const id = 'send-without';

/** Asks before files that cannot be sent are left out for good. */
function SendWithout(props: {
  dialog: RefObject<HTMLDialogElement | null>;
  /** How many are left out. */
  count: number;
  onSend: () => void;
}): JSX.Element {
  const translator = useTranslator();
  const { dialog, count } = props;
  const send = () => {
    dialog.current?.close();
    props.onSend();
  };
  return (
    <Dialog
      id={id}
      dialog={dialog}
      title={translator.t('island.sendWithout.title', { count })}
      actions={
        <>
          <Button form={`${id}-close`}>{translator.t('island.sendWithout.no')}</Button>
          <Button look="main" type="button" onClick={send}>
            {translator.t('island.sendWithout.yes', { count })}
          </Button>
        </>
      }
    >
      {translator.t('island.once')}
    </Dialog>
  );
}

/** Beside the files there is room for all of the subject; above them there is not. */
const beside = matchMedia('(min-width: 64rem)');

/**
 * Folds the message and the deadline on a small screen as soon as files were chosen: the files are what matters then.
 * The returned function shows them again.
 */
function foldSubject(isFolded: boolean): () => void {
  const subject = document.querySelector<HTMLDetailsElement>('.subject-details');
  const fold = () => {
    if (subject) subject.open = !isFolded || beside.matches;
  };
  subject?.classList.toggle('can-fold', isFolded);
  fold();
  beside.addEventListener('change', fold);
  return () => beside.removeEventListener('change', fold);
}
