import type { Upload, UploadOptions } from 'tus-js-client';
import type { Picked } from './dropped-files.ts';
import { FileWatch } from './file-watch.ts';
import { Speed } from './speed.ts';
import { tusManners, willPass } from './tus-manners.ts';
import { type Entry, isDelivered, isMoving, type ServerFile } from './upload-entry.ts';
import { adopt, freeName, type Item, idOf, itemOf, type News } from './upload-item.ts';

export interface Added {
  readonly count: number;
  readonly tooLarge: readonly string[];
  readonly tooMany: boolean;
}

/** What the queue needs of the browser. */
export interface Surroundings {
  readonly newUpload: (file: File, options: UploadOptions) => Upload;
  readonly remove: (url: string) => Promise<void>;
  /** What the server has; `ended` when the link no longer opens. */
  readonly files: () => Promise<readonly ServerFile[] | 'ended'>;
  readonly isOnline: () => boolean;
  readonly now: () => number;
  readonly after: (milliseconds: number, then: () => void) => void;
}

export interface Limits {
  readonly tusEndpoint: string;
  readonly maxFiles: number;
  readonly maxFileBytes: number;
}

const atOnce = 2;
const tryAgainAfter = 15_000;

/**
 * The files of one upload page: two travel at a time, what the network breaks off goes on where it stopped, and what
 * has arrived is watched until the server has checked it.
 */
export class UploadQueue {
  onChange: () => void = () => {};
  onNews: (news: readonly News[]) => void = () => {};
  onEnded: () => void = () => {};
  readonly #limits: Limits;
  readonly #browser: Surroundings;
  readonly #watch: FileWatch;
  readonly #speed = new Speed();
  #items: Item[] = [];
  #nextKey = 1;
  /** Whether the server may have files that are not in the list. */
  #listDue = true;
  /** What was removed here: an answer that was on its way does not bring it back. */
  readonly #removed = new Set<string>();
  #removals = 0;
  #retryPlanned = false;

  constructor(limits: Limits, browser: Surroundings) {
    this.#limits = limits;
    this.#browser = browser;
    this.#watch = new FileWatch({
      ask: browser.files,
      after: browser.after,
      isWanted: () => this.#listDue || this.#items.some((item) => item.state === 'checking'),
      listen: () => this.#listen(),
      onEnded: () => {
        this.end();
        this.onEnded();
      },
    });
  }

  get entries(): readonly Entry[] {
    return this.#items;
  }

  /** There is something to send, and nothing that would be left behind. What was refused is not sent. */
  get ready(): boolean {
    return (
      !this.#listDue &&
      this.#removals === 0 &&
      this.#items.some((item) => item.state === 'ready') &&
      this.#items.every((item) => item.state === 'ready' || item.state === 'refused')
    );
  }

  get busy(): boolean {
    return this.#items.some(isMoving);
  }

  get total(): { sentBytes: number; sizeBytes: number; bytesPerSecond: number | undefined } {
    const kept = this.#items.filter((item) => item.state !== 'refused');
    const sentBytes = kept.reduce((sum, item) => sum + item.sentBytes, 0);
    const sizeBytes = kept.reduce((sum, item) => sum + item.sizeBytes, 0);
    return { sentBytes, sizeBytes, bytesPerSecond: this.#speed.bytesPerSecond };
  }

  /** Learns what the server already has of an earlier visit. */
  begin(): void {
    this.#watch.hurry();
  }

  /** The server says that something is not ready: nothing is, until it has told what. */
  recheck(): void {
    for (const item of this.#items) if (item.state === 'ready') item.state = 'checking';
    this.#listDue = true;
    this.#watch.hurry();
    this.onChange();
  }

  /** Nothing moves any more. */
  end(): void {
    this.#watch.end();
    for (const item of this.#items.filter(isMoving)) this.#stop(item, 'paused');
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
        name: earlier?.name ?? freeName(file.name, this.#items),
        sizeBytes: file.size,
        fingerprint,
        file,
        sentBytes: earlier?.sentBytes ?? 0,
        state: 'waiting',
        url: earlier?.url,
        transfer: undefined,
        starts: 0,
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
    if (!item || !isMoving(item)) return;
    this.#stop(item, 'paused');
    this.#pump();
  }

  /** After a pause or a failure. */
  resume(key: number): void {
    const item = this.#find(key);
    if (item?.state !== 'paused' && item?.state !== 'failed') return;
    item.state = 'waiting';
    this.#pump();
  }

  /** Returns whether it is gone. What the server still has comes back to the list: it would be sent with the others. */
  async remove(key: number): Promise<boolean> {
    const item = this.#find(key);
    if (!item) return true;
    this.#items = this.#items.filter((other) => other !== item);
    this.#speed.forget();
    this.#pump();
    void item.transfer?.upload.abort().catch(() => {});
    return item.url === undefined || (await this.#removeFromServer(item.url));
  }

  /** The network is gone: what was under way waits. */
  offline(): void {
    for (const item of this.#items) if (item.state === 'uploading') this.#stop(item, 'offline');
    this.onChange();
  }

  /** The network is back: what waited for it goes on. */
  online(): void {
    this.#watch.hurry();
    this.#goOn();
  }

  #stop(item: Item, state: 'paused' | 'offline'): void {
    item.state = state;
    void item.transfer?.upload.abort().catch(() => {});
  }

  async #removeFromServer(url: string): Promise<boolean> {
    const id = idOf(url);
    this.#removals += 1;
    this.#removed.add(id);
    const gone = await this.#browser.remove(url).then(
      () => true,
      () => false,
    );
    this.#removals -= 1;
    if (!gone) {
      this.#removed.delete(id);
      this.#listDue = true;
      this.#watch.hurry();
    }
    this.onChange();
    return gone;
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
    item.starts += 1;
    const { starts } = item;
    item.transfer ??= this.#newTransfer(item, file);
    const { upload, prepared } = item.transfer;
    await prepared;
    // It may have been paused meanwhile, or removed, or paused and started again.
    if (this.#find(item.key) === item && item.state === 'uploading' && item.starts === starts) upload.start();
  }

  #newTransfer(item: Item, file: File): NonNullable<Item['transfer']> {
    const upload = this.#browser.newUpload(file, this.#options(item, file));
    return { upload, prepared: this.#prepare(item, upload) };
  }

  /**
   * Only what this browser remembers of this very file is continued: a file of the same name and size with other
   * content must never be glued to the first half of an older one.
   */
  async #prepare(item: Item, upload: Upload): Promise<void> {
    if (item.url === undefined) return;
    const earlier = await upload.findPreviousUploads().catch(() => []);
    const previous = earlier.find(({ uploadUrl }) => uploadUrl && idOf(uploadUrl) === idOf(item.url));
    if (previous) {
      upload.resumeFromPreviousUpload(previous);
    } else {
      await this.#removeFromServer(item.url);
      item.url = undefined;
      item.sentBytes = 0;
    }
  }

  #options(item: Item, file: File): UploadOptions {
    const isCurrent = () => this.#find(item.key) === item;
    return {
      ...tusManners(this.#browser.isOnline),
      endpoint: this.#limits.tusEndpoint,
      storeFingerprintForResuming: true,
      removeFingerprintOnSuccess: true,
      parallelUploads: 1,
      metadata: { filename: item.name, filetype: file.type || 'application/octet-stream' },
      fingerprint: () => Promise.resolve(item.fingerprint ?? ''),
      onUploadUrlAvailable: () => {
        item.url = item.transfer?.upload.url ?? item.url;
      },
      onProgress: (sent) => {
        if (!isCurrent() || item.state !== 'uploading') return;
        item.sentBytes = sent;
        this.#speed.note(this.#browser.now(), this.total.sentBytes);
        this.onChange();
      },
      onSuccess: () => {
        if (!isCurrent()) return;
        item.state = 'checking';
        item.sentBytes = item.sizeBytes;
        item.transfer = undefined;
        this.#watch.wake();
        this.#pump();
        this.onNews([{ name: item.name, state: 'checking' }]);
      },
      onError: (error) => {
        if (!isCurrent() || item.state !== 'uploading') return;
        if (willPass(error)) {
          item.state = 'offline';
          this.#tryAgainLater();
          void this.#failIfUnreadable(item, file);
        } else {
          this.#fail(item);
        }
        this.#pump();
      },
    };
  }

  /** A browser tells of a file that changed or is gone as if the network had failed. */
  async #failIfUnreadable(item: Item, file: File): Promise<void> {
    try {
      await file.slice(0, 1).arrayBuffer();
    } catch {
      this.#fail(item);
    }
  }

  #fail(item: Item): void {
    if (this.#find(item.key) !== item) return;
    item.state = 'failed';
    // It may be more than this file: the link may have ended.
    this.#listDue = true;
    this.#watch.wake();
    this.onNews([{ name: item.name, state: 'failed' }]);
    this.onChange();
  }

  #tryAgainLater(): void {
    if (this.#retryPlanned) return;
    this.#retryPlanned = true;
    this.#browser.after(tryAgainAfter, () => {
      this.#retryPlanned = false;
      this.#goOn();
    });
  }

  #goOn(): void {
    for (const item of this.#items) if (item.state === 'offline') item.state = 'waiting';
    this.#pump();
  }

  /** Only what had arrived before the question is settled by the answer. */
  #listen(): (files: readonly ServerFile[]) => void {
    const delivered = this.#items.filter(isDelivered);
    const listDue = this.#listDue;
    return (files) => {
      const byId = new Map(files.map((file) => [file.id, file]));
      const news = delivered
        .filter((item) => this.#items.includes(item))
        .flatMap((item) => adopt(item, byId.get(idOf(item.url))) ?? []);
      // Neither the server has these, nor this browser.
      this.#items = this.#items.filter((item) => item.state !== 'interrupted' || item.url !== undefined);
      if (listDue) this.#addUnknown(files);
      this.onChange();
      if (news.length > 0) this.onNews(news);
    };
  }

  #addUnknown(files: readonly ServerFile[]): void {
    // An upload that is just being created may be one of them; the next answer will tell.
    if (this.#items.some((item) => item.state === 'uploading' && item.url === undefined)) return;
    this.#listDue = false;
    const known = new Set([...this.#removed, ...this.#items.map((item) => idOf(item.url))]);
    for (const file of files) {
      if (!known.has(file.id)) this.#items.push(itemOf(file, this.#nextKey++, this.#limits.tusEndpoint));
    }
  }
}
