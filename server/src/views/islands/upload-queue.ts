import type { Upload, UploadOptions } from 'tus-js-client';
import type { Picked } from './dropped-files.ts';

export type UploadState = 'waiting' | 'uploading' | 'paused' | 'offline' | 'failed' | 'complete' | 'interrupted';

export interface Entry {
  readonly key: number;
  readonly name: string;
  readonly sizeBytes: number;
  readonly sentBytes: number;
  readonly state: UploadState;
}

export interface ServerFile {
  readonly id: string;
  readonly name: string;
  readonly sizeBytes: number;
  readonly offset: number;
  readonly complete: boolean;
}

export interface Added {
  readonly count: number;
  readonly tooLarge: readonly string[];
  readonly tooMany: boolean;
}

/** What the queue needs of the browser. */
export interface Surroundings {
  readonly newUpload: (file: File, options: UploadOptions) => Upload;
  readonly remove: (url: string) => Promise<void>;
  readonly isOnline: () => boolean;
  readonly now: () => number;
  readonly after: (milliseconds: number, then: () => void) => void;
}

export interface Limits {
  readonly tusEndpoint: string;
  readonly maxFiles: number;
  readonly maxFileBytes: number;
}

interface Item {
  readonly key: number;
  readonly name: string;
  readonly sizeBytes: number;
  readonly fingerprint: string | undefined;
  file: File | undefined;
  sentBytes: number;
  state: UploadState;
  url: string | undefined;
  upload: Upload | undefined;
}

const atOnce = 2;
const tryAgainAfter = 15_000;
const speedWindow = 6000;

/** The files of one upload page: two travel at a time, and what the network breaks off goes on where it stopped. */
export class UploadQueue {
  onChange: () => void = () => {};
  onSettled: (name: string, state: 'complete' | 'failed') => void = () => {};
  readonly #limits: Limits;
  readonly #browser: Surroundings;
  #items: Item[] = [];
  #nextKey = 1;
  #samples: { at: number; sent: number }[] = [];

  constructor(limits: Limits, browser: Surroundings) {
    this.#limits = limits;
    this.#browser = browser;
  }

  get entries(): readonly Entry[] {
    return this.#items;
  }

  /** Everything is there, and there is something. */
  get ready(): boolean {
    return this.#items.length > 0 && this.#items.every((item) => item.state === 'complete');
  }

  get busy(): boolean {
    return this.#items.some(
      (item) => item.state === 'uploading' || item.state === 'waiting' || item.state === 'offline',
    );
  }

  get total(): { sentBytes: number; sizeBytes: number; bytesPerSecond: number | undefined } {
    const sentBytes = this.#items.reduce((sum, item) => sum + item.sentBytes, 0);
    const sizeBytes = this.#items.reduce((sum, item) => sum + item.sizeBytes, 0);
    const first = this.#samples[0];
    const last = this.#samples.at(-1);
    const seconds = first && last ? (last.at - first.at) / 1000 : 0;
    const bytesPerSecond = first && last && seconds >= 1 ? Math.max(0, last.sent - first.sent) / seconds : undefined;
    return { sentBytes, sizeBytes, bytesPerSecond };
  }

  /** What the server already has of an earlier visit. */
  known(files: readonly ServerFile[]): void {
    for (const file of files) {
      this.#items.push({
        key: this.#nextKey++,
        name: file.name,
        sizeBytes: file.sizeBytes,
        fingerprint: undefined,
        file: undefined,
        sentBytes: file.offset,
        state: file.complete ? 'complete' : 'interrupted',
        url: `${this.#limits.tusEndpoint}/${encodeURIComponent(file.id)}`,
        upload: undefined,
      });
    }
    this.onChange();
  }

  add(picked: readonly Picked[]): Added {
    const tooLarge: string[] = [];
    let count = 0;
    let tooMany = false;
    for (const { file, path } of picked) {
      const fingerprint = ['waybill', this.#limits.tusEndpoint, path, file.size, file.lastModified].join('|');
      if (this.#items.some((item) => item.fingerprint === fingerprint)) continue;
      if (file.size > this.#limits.maxFileBytes) {
        tooLarge.push(file.name);
        continue;
      }
      const earlier = this.#interrupted(file);
      if (!earlier && this.#items.length >= this.#limits.maxFiles) {
        tooMany = true;
        continue;
      }
      const item: Item = {
        key: earlier?.key ?? this.#nextKey++,
        name: earlier?.name ?? this.#freeName(file.name),
        sizeBytes: file.size,
        fingerprint,
        file,
        sentBytes: earlier?.sentBytes ?? 0,
        state: 'waiting',
        url: earlier?.url,
        upload: undefined,
      };
      if (earlier) this.#items[this.#items.indexOf(earlier)] = item;
      else this.#items.push(item);
      count += 1;
    }
    this.#pump();
    return { count, tooLarge, tooMany };
  }

  pause(key: number): void {
    const item = this.#find(key);
    if (!item || item.state === 'complete') return;
    item.state = 'paused';
    void item.upload?.abort().catch(() => {});
    this.#pump();
  }

  /** After a pause or a failure. */
  resume(key: number): void {
    const item = this.#find(key);
    if (!item?.file) return;
    item.state = 'waiting';
    this.#pump();
  }

  async remove(key: number): Promise<void> {
    const item = this.#find(key);
    if (!item) return;
    this.#items = this.#items.filter((other) => other !== item);
    this.#samples = [];
    this.#pump();
    await item.upload?.abort().catch(() => {});
    if (item.url !== undefined) await this.#browser.remove(item.url).catch(() => {});
  }

  /** The network is gone: what was under way waits. */
  offline(): void {
    for (const item of this.#items) {
      if (item.state !== 'uploading') continue;
      item.state = 'offline';
      void item.upload?.abort().catch(() => {});
    }
    this.onChange();
  }

  /** The network is back: what waited for it goes on. */
  online(): void {
    for (const item of this.#items) if (item.state === 'offline') item.state = 'waiting';
    this.#pump();
  }

  #find(key: number): Item | undefined {
    return this.#items.find((item) => item.key === key);
  }

  #interrupted(file: File): Item | undefined {
    return this.#items.find(
      (item) =>
        item.state === 'interrupted' && item.name === file.name.normalize('NFC') && item.sizeBytes === file.size,
    );
  }

  /** Files of the same name from two folders are two files. */
  #freeName(wanted: string): string {
    const name = wanted.normalize('NFC');
    const taken = new Set(this.#items.map((item) => item.name));
    const [, stem = name, end = ''] = /^(.+?)((?:\.[^.]{1,8})?)$/s.exec(name) ?? [];
    for (let copy = 1; ; copy += 1) {
      const candidate = copy === 1 ? name : `${stem} (${copy})${end}`;
      if (!taken.has(candidate)) return candidate;
    }
  }

  #pump(): void {
    let under = this.#items.filter((item) => item.state === 'uploading').length;
    for (const item of this.#items) {
      if (under >= atOnce) break;
      if (item.state !== 'waiting' || !item.file) continue;
      under += 1;
      void this.#start(item, item.file);
    }
    this.onChange();
  }

  async #start(item: Item, file: File): Promise<void> {
    item.state = 'uploading';
    if (item.upload) {
      item.upload.start();
      return;
    }
    const upload = this.#browser.newUpload(file, this.#options(item, file));
    item.upload = upload;
    // Only what this browser remembers of this very file is continued: a file of the same name and size with other
    // content must never be glued to the first half of an older one.
    const [previous] = await upload.findPreviousUploads().catch(() => []);
    if (this.#find(item.key) !== item || item.state !== 'uploading') return;
    if (previous) {
      upload.resumeFromPreviousUpload(previous);
    } else if (item.url !== undefined) {
      await this.#browser.remove(item.url).catch(() => {});
      item.url = undefined;
      item.sentBytes = 0;
    }
    upload.start();
  }

  #options(item: Item, file: File): UploadOptions {
    const isCurrent = () => this.#find(item.key) === item;
    return {
      endpoint: this.#limits.tusEndpoint,
      retryDelays: [500, 1000, 2000, 4000, 8000, 15_000].map((delay) => delay * (0.75 + Math.random() / 2)),
      storeFingerprintForResuming: true,
      removeFingerprintOnSuccess: true,
      parallelUploads: 1,
      metadata: { filename: item.name, filetype: file.type || 'application/octet-stream' },
      fingerprint: () => Promise.resolve(item.fingerprint ?? ''),
      onUploadUrlAvailable: () => {
        item.url = item.upload?.url ?? item.url;
      },
      onProgress: (sent) => {
        if (!isCurrent() || item.state !== 'uploading') return;
        item.sentBytes = sent;
        this.#sample();
        this.onChange();
      },
      onSuccess: () => {
        if (!isCurrent()) return;
        item.state = 'complete';
        item.sentBytes = item.sizeBytes;
        item.upload = undefined;
        this.onSettled(item.name, 'complete');
        this.#pump();
      },
      onError: (error) => {
        if (!isCurrent() || item.state !== 'uploading') return;
        // No answer at all is the network's doing, and passes.
        if ('originalResponse' in error && error.originalResponse) {
          item.state = 'failed';
          this.onSettled(item.name, 'failed');
        } else {
          item.state = 'offline';
          this.#browser.after(tryAgainAfter, () => {
            if (this.#browser.isOnline()) this.online();
          });
        }
        this.#pump();
      },
    };
  }

  #sample(): void {
    const at = this.#browser.now();
    const last = this.#samples.at(-1);
    if (last && at - last.at < 250) return;
    this.#samples.push({ at, sent: this.total.sentBytes });
    this.#samples = this.#samples.filter((sample) => at - sample.at <= speedWindow);
  }
}
