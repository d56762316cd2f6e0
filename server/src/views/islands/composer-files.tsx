import { Upload } from 'tus-js-client';
import type { ViewTranslator } from '../components/translator-context.ts';
import { begunUploads } from './begun-uploads.ts';
import { type KeptDraft, takeDraft } from './composer-draft.ts';
import { ComposerFilesView } from './composer-files-view.tsx';
import { ComposerServer } from './composer-server.ts';
import { draftMemory } from './draft-memory.ts';
import { drawPart } from './draw-part.tsx';
import { readPickedFiles } from './dropped-files.ts';
import { holdDraft } from './hold-draft.ts';
import type { SizeReason } from './obstacle-text.ts';
import { type Posted, postComposer } from './post-composer.ts';
import { barText, countEntries, countStopped, sendHint } from './send-bar.tsx';
import type { Sending } from './send-files.ts';
import { SendIntent } from './send-intent.ts';
import { removeUpload } from './server-files.ts';
import { type Chosen, isStopped } from './upload-entry.ts';
import { parseUploadId } from './upload-item.ts';
import { UploadQueue } from './upload-queue.ts';
import type { FileLimits } from './use-upload-files.tsx';

/** What the rest of the composer shows of the files, and of "Send". */
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
  /** What prevents sending, or what happens next. */
  readonly hint: string;
  /** How many files cannot be sent. */
  readonly stoppedCount: number;
  /** How many files the person has to choose again. */
  readonly missingCount: number;
}

export interface MountOptions {
  readonly form: HTMLFormElement;
  readonly translator: ViewTranslator;
  /** Called at most once per frame. */
  onChange(state: FilesState): void;
  /** Called if the server refused the form. */
  onRefused(problem: { message: string; field: string | undefined }): void;
  /** Reads text out to users of screen readers. */
  say(text: string): void;
  /** The other fields of the form as one text, which is kept with the files; empty if nothing was written. */
  readonly fields?: { read(): string; restore(kept: string): void };
}

export interface ComposerFiles {
  readonly state: FilesState;
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
};

/** Replaces the plain file field of the composer, and sends its form when everything has arrived. */
export function mountFiles(root: HTMLElement, options: MountOptions): ComposerFiles {
  let composer: Composer | undefined;
  let isPressedEarly = false;
  options.form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (composer) composer.press();
    else isPressedEarly = true;
  });
  const begin = async () => {
    composer = await start(root, options);
    if (isPressedEarly) composer.press();
  };
  void begin();
  return {
    get state() {
      return composer?.state ?? noFiles;
    },
    cancel: () => composer?.cancel(),
  };
}

async function start(root: HTMLElement, options: MountOptions): Promise<Composer> {
  const { form } = options;
  const key = form.dataset['draft'] ?? '';
  const memory = draftMemory(() => indexedDB);
  const named = readNamedUploads(root);
  const tab = tabMemory(`waybill draft ${key}`);
  // A page that names uploads is about those, and not about what was left here before.
  const found = named.length > 0 ? undefined : await takeDraft(memory, key, tab.read(), Date.now(), holdDraft);
  const requestId = getField(form, 'request_id');
  if (found) requestId.value = found.id;
  else await holdDraft(requestId.value, 0);
  tab.write(requestId.value);
  const draft = found ?? { id: requestId.value, key, changedAt: 0, pressed: false, written: '', files: named };
  if (draft.written !== '') options.fields?.restore(draft.written);
  const composer = new Composer(root, options, draft, memory);
  composer.draw();
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
  #posted: Posted | undefined;
  #saved = '';
  #isSavePlanned = false;
  #isSent = false;

  constructor(root: HTMLElement, options: MountOptions, draft: KeptDraft, memory: ReturnType<typeof draftMemory>) {
    this.#root = root;
    this.#options = options;
    this.#draft = draft;
    this.#memory = memory;
    const { form } = options;
    const { uploadsHref = '', maxFiles, maxFileBytes, sizeReason } = root.dataset;
    this.#limits = {
      maxFiles: Number(maxFiles),
      maxFileBytes: Number(maxFileBytes),
      sizeReason: sizeReason as SizeReason,
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
      { queue: this.#queue, mayBeEmpty: true, send: () => this.#send(), remember: () => this.#planSave(), after },
      draft,
    );
    this.#intent.onSent = () => this.#leave();
    this.#intent.onFailed = () => {
      if (this.#posted?.kind === 'refused') options.onRefused(this.#posted);
    };
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
    const noteFields = () => this.#intent.write(options.fields?.read() ?? '');
    form.addEventListener('input', noteFields);
    form.addEventListener('change', noteFields);
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
    if (posted.kind === 'signed_out') this.#server.note(401);
    if (posted.kind === 'form_expired') await this.#server.renewToken();
    return outcomes[posted.kind];
  }

  #leave(): void {
    this.#isSent = true;
    const { form } = this.#options;
    form.dispatchEvent(new CustomEvent('composer:sent'));
    tabMemory(`waybill draft ${this.#draft.key}`).write(undefined);
    const location = this.#posted?.kind === 'sent' ? this.#posted.location : '';
    void this.#memory.remove(this.#draft.id).then(() => window.location.assign(location));
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
    const { id, key } = this.#draft;
    const files = this.#queue.entries.filter(({ state }) => state !== 'refused').map(toKept);
    const { written, state } = this.#intent;
    const pressed = state !== 'none';
    const saved = JSON.stringify([written, pressed, files.map(({ kept, ...file }) => [file, kept !== undefined])]);
    if (saved === this.#saved) return;
    this.#saved = saved;
    if (files.length === 0 && written === '') await this.#memory.remove(id);
    else await this.#memory.write({ id, key, changedAt: Date.now(), pressed, written, files });
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

const isWaiting = ({ state }: SendIntent) => state === 'waiting';

function toKept({ name, path, sizeBytes, fingerprint, url, kept }: Chosen): Chosen {
  return { name, path, sizeBytes, fingerprint, url, kept };
}

/** The uploads that the page names, such as files that came through the Share menu of a phone. */
function readNamedUploads(root: HTMLElement): Chosen[] {
  const { uploadsHref } = root.dataset;
  return Array.from(root.querySelectorAll<HTMLInputElement>('input[name=upload]:checked'), ({ value, dataset }) => ({
    name: dataset['name'] ?? '',
    path: dataset['path'] || undefined,
    sizeBytes: Number(dataset['size']),
    fingerprint: undefined,
    url: `${uploadsHref}/${encodeURIComponent(value)}`,
  }));
}

function getField(form: HTMLFormElement, name: string): HTMLInputElement {
  const field = form.elements.namedItem(name);
  if (!(field instanceof HTMLInputElement)) throw new Error(`the form has no field ${name}`);
  return field;
}

/** Remembers which draft this tab has, until the tab is closed. */
function tabMemory(key: string): { read(): string | undefined; write(id: string | undefined): void } {
  return {
    read() {
      try {
        return sessionStorage.getItem(key) ?? undefined;
      } catch {
        return undefined;
      }
    },
    write(id) {
      try {
        if (id === undefined) sessionStorage.removeItem(key);
        else sessionStorage.setItem(key, id);
      } catch {
        // Storage may be forbidden; the draft that was changed last is taken then.
      }
    },
  };
}
