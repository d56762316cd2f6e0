import { Upload } from 'tus-js-client';
import type { FileSizeReason } from '../../../../domain/uploads/find-file-size-limit.ts';
import type { ViewTranslator } from '../../../../present/texts/translator-context.ts';
import { readPickedFiles } from '../../../shared/islands/dropped-files.ts';
import { barText, countEntries, countStopped, sendHint } from '../../../shared/islands/send-bar.tsx';
import type { Sending } from '../../../shared/islands/send-files.ts';
import { SendIntent } from '../../../shared/islands/send-intent.ts';
import { removeUpload } from '../../../shared/islands/server-files.ts';
import { type Chosen, type Entry, isStopped } from '../../../shared/islands/upload-entry.ts';
import { parseUploadId } from '../../../shared/islands/upload-item.ts';
import { UploadQueue } from '../../../shared/islands/upload-queue.ts';
import type { FileLimits } from '../../../shared/islands/use-upload-files.tsx';
import { drawPart } from '../../islands/draw-part.tsx';
import { beginDraft, type DraftFields, readNamedUploads } from './begin-draft.ts';
import { begunUploads } from './begun-uploads.ts';
import { findOtherDraft, type KeptDraft } from './composer-draft.ts';
import { ComposerFilesView } from './composer-files-view.tsx';
import { ComposerServer } from './composer-server.ts';
import { draftMemory } from './draft-memory.ts';
import { isDraftHeld } from './hold-draft.ts';
import type { OtherDraft } from './other-draft.tsx';
import { type Posted, postComposer } from './post-composer.ts';
import { tabMemory } from './tab-memory.ts';

/** The state of the files, and of "Send", for the rest of the composer. */
export interface FilesState {
  readonly files: readonly {
    readonly name: string;
    readonly path: string | undefined;
    readonly sizeBytes: number;
    readonly isStopped: boolean;
  }[];
  readonly totalBytes: number;
  readonly sentBytes: number;
  readonly secondsLeft: number | undefined;
  /** Whether nothing is on its way or being checked; also without files. */
  readonly isReady: boolean;
  readonly intent: SendIntent['state'];
  /** How far it is, in a few words. */
  readonly title: string;
  readonly detail: string;
  /** The obstacle to sending, or the next step. */
  readonly hint: string;
  /** How many files cannot be sent. */
  readonly stoppedCount: number;
  /** How many files the person has to choose again. */
  readonly missingCount: number;
  /** Why nothing reaches the server. */
  readonly obstacle: 'signedOut' | 'offline' | undefined;
}

export interface MountOptions {
  readonly form: HTMLFormElement;
  readonly translator: ViewTranslator;
  /** Called at most once per frame. */
  onChange(state: FilesState): void;
  /** Called if the server refused the form. */
  onRefused(problem: {
    message: string;
    field: string | undefined;
    people?: Readonly<Record<string, string>> | undefined;
  }): void;
  /** Reads text out to users of screen readers. */
  say(text: string): void;
  /** Called if the page took up no draft, but there is one. */
  onOther(draft: OtherDraft): void;
  /** The other fields of the form, which are kept with the files. */
  readonly fields?: DraftFields;
}

export interface ComposerFiles {
  readonly state: FilesState;
  /** Resolves when the draft of an earlier visit is there, and everybody whom the page names. */
  readonly begun: Promise<void>;
  /** Takes "Send" back. */
  cancel(): void;
}

/** Of a composer without files. */
export const noFiles: FilesState = {
  files: [],
  totalBytes: 0,
  sentBytes: 0,
  secondsLeft: undefined,
  isReady: true,
  intent: 'none',
  title: '',
  detail: '',
  hint: '',
  stoppedCount: 0,
  missingCount: 0,
  obstacle: undefined,
};

/** Replaces the plain file field of the composer, and sends its form when everything has arrived. */
export function mountFiles(root: HTMLElement, options: MountOptions): ComposerFiles {
  let composer: Composer | undefined;
  options.form.addEventListener('submit', (event) => {
    event.preventDefault();
    composer?.press();
  });
  const begin = async () => {
    composer = await start(root, options);
  };
  const begun = begin();
  return {
    begun,
    get state() {
      return composer?.state ?? noFiles;
    },
    cancel: () => composer?.cancel(),
  };
}

async function start(root: HTMLElement, options: MountOptions): Promise<Composer> {
  const { form, fields } = options;
  const key = form.dataset['draft'] ?? '';
  const memory = draftMemory(() => indexedDB);
  const tab = tabMemory(key);
  const requestId = getField(form, 'request_id');
  const uploads = readNamedUploads(root);
  const { draft, isKept, passedOver } = await beginDraft(memory, tab, key, requestId.value, uploads, fields);
  requestId.value = draft.requestId;
  const composer = new Composer(root, options, draft, memory);
  composer.draw();
  if (!isKept) {
    await fields?.addNamed();
    composer.noteFields();
    const other = passedOver ?? (await findOtherDraft(memory, key, Date.now(), isDraftHeld));
    const href = new URL('.', form.action).pathname;
    if (other) options.onOther({ written: other.written, href, onOpen: () => tab.write(other.id) });
  }
  return composer;
}

class Composer {
  readonly #options: MountOptions;
  readonly #root: HTMLElement;
  readonly #draft: KeptDraft;
  readonly #memory: ReturnType<typeof draftMemory>;
  readonly #limits: FileLimits;
  readonly #server: ComposerServer;
  readonly #queue: UploadQueue;
  readonly #intent: SendIntent;
  #requestId: string;
  #posted: Posted | undefined;
  #saved = '';
  #savedPress: string | undefined;
  #isSavePlanned = false;
  #isSent = false;

  constructor(root: HTMLElement, options: MountOptions, draft: KeptDraft, memory: ReturnType<typeof draftMemory>) {
    this.#root = root;
    this.#options = options;
    this.#draft = draft;
    this.#requestId = draft.requestId;
    this.#memory = memory;
    const { form } = options;
    const { uploadsHref = '', maxFiles, maxFileBytes, sizeReason } = root.dataset;
    this.#limits = {
      maxFiles: Number(maxFiles),
      maxFileBytes: Number(maxFileBytes),
      sizeReason: sizeReason as FileSizeReason,
      isOwn: true,
    };
    const server = new ComposerServer(uploadsHref, getField(form, 'csrftoken'), draft.key);
    this.#server = server;
    const urlStorage = begunUploads(draft.files);
    const after = (milliseconds: number, then: () => void) => void setTimeout(then, milliseconds);
    this.#queue = new UploadQueue(
      { ...this.#limits, tusEndpoint: uploadsHref, draftKey: draft.key },
      {
        newUpload: (file, uploadOptions) => new Upload(file, { ...server.extend(uploadOptions), urlStorage }),
        remove: (url) => removeUpload(url, server.extend()),
        files: (ids) => server.files(ids),
        isOnline: () => navigator.onLine && !server.signedOut,
        now: () => performance.now(),
        after,
      },
      draft.files,
    );
    this.#intent = new SendIntent(
      {
        queue: this.#queue,
        mayBeEmpty: true,
        mark: () => this.#mark(),
        send: () => this.#send(),
        remember: () => this.#remember(),
        after,
      },
      { written: draft.written, pressed: draft.pressed !== '', mark: draft.pressed },
    );
    this.#savedPress = this.#intent.mark;
    this.#intent.onSent = () => this.#leave();
    this.#intent.onFailed = () => {
      if (this.#posted?.kind !== 'refused') return;
      options.onRefused(this.#posted);
      // The list shows then which of them are no longer there.
      if (this.#posted.field === 'files') this.#queue.recheck();
    };
    this.#intent.onLapsed = () =>
      options.onRefused({ message: options.translator.t('composer.changedSincePress'), field: undefined });
    const watchAccess = () => {
      if (!server.signedOut) return this.#queue.online();
      after(accessCheckMs, () => {
        if (server.signedOut) void server.renewToken().then(() => server.signedOut && watchAccess());
      });
    };
    server.onAccess = () => {
      watchAccess();
      this.#queue.onChange();
    };
    form.addEventListener('input', () => this.noteFields());
    form.addEventListener('change', () => this.noteFields());
  }

  noteFields(): void {
    this.#intent.write(this.#readFields());
  }

  #readFields(): string {
    const hasFiles = this.#queue.entries.some(isWorthKeeping);
    return this.#options.fields?.read(hasFiles) ?? '';
  }

  /** Describes whom the files go to, and which. */
  #mark(): string {
    const files = this.#queue.entries.map(({ name, path, sizeBytes }) => [path ?? name, sizeBytes]);
    return JSON.stringify([this.#options.fields?.mark(), files]);
  }

  get state(): FilesState {
    const { translator } = this.#options;
    const queue = this.#queue;
    const { sentBytes, sizeBytes, bytesPerSecond } = queue.total;
    const isEmpty = queue.entries.length === 0;
    const [title, detail] = isEmpty ? ['', ''] : barText(translator, queue, this.#intent);
    return {
      files: queue.entries.map((entry) => ({
        name: entry.name,
        path: entry.path,
        sizeBytes: entry.sizeBytes,
        isStopped: isStopped(entry),
      })),
      totalBytes: sizeBytes,
      sentBytes,
      secondsLeft: queue.busy && bytesPerSecond ? (sizeBytes - sentBytes) / bytesPerSecond : undefined,
      isReady: queue.settled,
      intent: this.#intent.state,
      title,
      detail,
      hint: sendHint(translator, queue, this.#intent),
      stoppedCount: countStopped(queue),
      missingCount: countEntries(queue, 'interrupted'),
      obstacle: this.#server.signedOut ? 'signedOut' : queue.reachable && navigator.onLine ? undefined : 'offline',
    };
  }

  press(): void {
    const { say, translator } = this.#options;
    const intent = this.#intent;
    // "Send" was pressed before, unless something has come up since that the person must agree to.
    if (intent.state === 'sending' || (intent.state === 'waiting' && countStopped(this.#queue) === 0)) return;
    intent.press();
    if (isWaiting(intent)) say(translator.t('island.sendSoon'));
  }

  cancel(): void {
    const { say, translator } = this.#options;
    this.#intent.cancel();
    say(translator.t('island.cancelled'));
  }

  draw(): void {
    const { translator, say, onChange } = this.#options;
    const picker = this.#root.querySelector<HTMLInputElement>('input[type=file]');
    const chosen = readPickedFiles(picker?.files ?? null);
    this.#root.replaceChildren();
    drawPart(
      translator,
      <ComposerFilesView
        queue={this.#queue}
        intent={this.#intent}
        server={this.#server}
        limits={this.#limits}
        chosen={chosen}
        picker={picker}
        say={say}
        onChange={() => this.#planSave()}
        onDrawn={() => onChange(this.state)}
      />,
      this.#root,
    );
  }

  async #send(): Promise<Sending> {
    const ids = this.#queue.entries.filter(({ state }) => state === 'ready').map(({ url }) => parseUploadId(url));
    const posted = await postComposer(this.#options.form, ids);
    this.#posted = posted;
    if (posted.kind === 'refused' && posted.requestId !== undefined) {
      this.#requestId = posted.requestId;
      getField(this.#options.form, 'request_id').value = posted.requestId;
    }
    if (posted.kind === 'signed_out') this.#server.note(401);
    if (posted.kind === 'form_expired') await this.#server.renewToken();
    return outcomes[posted.kind];
  }

  #leave(): void {
    this.#isSent = true;
    const { form } = this.#options;
    form.dispatchEvent(new CustomEvent('composer:sent'));
    tabMemory(this.#draft.key).write(undefined);
    const location = this.#posted?.kind === 'sent' ? this.#posted.location : '';
    void this.#memory.remove(this.#draft.id).then(() => window.location.assign(location));
  }

  /** Stores at once what is to be sent, or that nothing is: the person may leave the page now. */
  #remember(): void {
    if (this.#intent.mark === this.#savedPress) return this.#planSave();
    void this.#save();
  }

  /** Stores the draft soon, because several changes often come together. */
  #planSave(): void {
    if (this.#isSavePlanned) return;
    this.#isSavePlanned = true;
    setTimeout(() => {
      this.#isSavePlanned = false;
      void this.#save();
    }, saveAfterMs);
  }

  async #save(): Promise<void> {
    if (this.#isSent) return;
    const { id, key, named } = this.#draft;
    const requestId = this.#requestId;
    const files = this.#queue.entries.filter(isWorthKeeping).map(toKept);
    const written = this.#readFields();
    const { mark: pressed = '' } = this.#intent;
    const saved = JSON.stringify([
      requestId,
      written,
      pressed,
      files.map(({ kept, ...file }) => [file, kept !== undefined]),
    ]);
    if (saved === this.#saved) return;
    this.#saved = saved;
    this.#savedPress = this.#intent.mark;
    if (files.length === 0 && written === '') await this.#memory.remove(id);
    else await this.#memory.write({ id, requestId, key, named, changedAt: Date.now(), pressed, written, files });
  }
}

const saveAfterMs = 100;
const accessCheckMs = 3000;

const outcomes: Readonly<Record<Posted['kind'], Sending>> = {
  sent: 'sent',
  refused: 'failed',
  signed_out: 'unreachable',
  form_expired: 'unreachable',
  unreachable: 'unreachable',
  not_ready: 'not_ready',
};

const isWorthKeeping = ({ state }: Entry) => state !== 'refused';
const isWaiting = ({ state }: SendIntent) => state === 'waiting';

function toKept({ name, path, sizeBytes, fingerprint, url, kept }: Chosen): Chosen {
  return { name, path, sizeBytes, fingerprint, url, kept };
}

function getField(form: HTMLFormElement, name: string): HTMLInputElement {
  const field = form.elements.namedItem(name);
  if (!(field instanceof HTMLInputElement)) throw new Error(`the form has no field ${name}`);
  return field;
}
