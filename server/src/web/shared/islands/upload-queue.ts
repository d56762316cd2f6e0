import type { DraftFile } from '../../../domain/uploads/upload-store.ts';
import type { Picked } from './dropped-files.ts';
import { FileWatch } from './file-watch.ts';
import { Progress, type Total } from './progress.ts';
import { findRefusal, isTemporary, isWithoutResponse } from './tus-retry-policy.ts';
import {
  type Chosen,
  type Entry,
  isDelivered,
  isMoving,
  isStopped,
  type Obstacle,
  toObstacle,
  type UploadState,
} from './upload-entry.ts';
import {
  adopt,
  applyServerFile,
  freeName,
  type Item,
  isEmptyDouble,
  isRestOf,
  type News,
  parseUploadId,
  restore,
  type Transfer,
  toChosen,
  toItem,
  toUploadUrl,
} from './upload-item.ts';
import { newTransfer, type Transport } from './upload-transfer.ts';

export interface Added {
  readonly count: number;
  readonly tooMany: boolean;
}

/** The functions of the browser that the queue needs. */
export interface UploadEnvironment extends Transport {
  readonly remove: (url: string) => Promise<void>;
  /**
   * Returns the files of the server, at least those with these ids that it has; `ended` if the link no longer opens,
   * undefined if there was no valid response.
   */
  readonly files: (ids: readonly string[]) => Promise<readonly DraftFile[] | 'ended' | undefined>;
  readonly now: () => number;
  readonly after: (milliseconds: number, then: () => void) => void;
}

export interface Limits {
  readonly tusEndpoint: string;
  /** Identifies the link, on every visit. */
  readonly draftKey: string;
  readonly maxFiles: number;
  readonly maxFileBytes: number;
}

const atOnce = 2;
/** Obstacles that another attempt with the same file may overcome. */
const mayPass: ReadonlySet<Obstacle> = new Set(['storage_full', 'link_full', 'unknown']);
const tryAgainAfter = 15_000;

/**
 * The files of one upload page: two are uploaded at a time, an upload that the network interrupts continues where it
 * stopped, and files that have arrived are watched until the server has checked them.
 */
export class UploadQueue {
  onChange: () => void = () => {};
  onNews: (news: readonly News[]) => void = () => {};
  onEnded: () => void = () => {};
  /** Called when the server becomes reachable or unreachable. */
  onReachable: (reachable: boolean) => void = () => {};
  /**
   * Resolves when the files of an earlier visit are known: a file that is added before that would not be recognised.
   */
  readonly known: Promise<void>;
  #tellKnown: () => void = () => {};
  readonly #limits: Limits;
  readonly #browser: UploadEnvironment;
  readonly #watch: FileWatch;
  readonly #progress = new Progress();
  #items: Item[] = [];
  #nextKey = 1;
  /** Whether the server may have files that are not in the list. */
  #listDue = true;
  /** Files that were removed here, which a response that was already on its way must not bring back. */
  readonly #removed = new Set<string>();
  #removals = 0;
  #retryPlanned = false;
  #reachable = true;

  /** `earlier` are the files that were chosen on an earlier visit. */
  constructor(limits: Limits, browser: UploadEnvironment, earlier: readonly Chosen[] = []) {
    this.#limits = limits;
    this.#browser = browser;
    this.known = new Promise((resolve) => {
      this.#tellKnown = resolve;
      if (earlier.length === 0) resolve();
    });
    this.#items = earlier.map((chosen) => toItem(chosen, this.#nextKey++));
    this.#watch = new FileWatch({
      ask: () => this.#ask(),
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

  /** Whether there are files to send, and all of them are ready. Files that cannot be sent do not count. */
  get ready(): boolean {
    return this.settled && this.#items.some((item) => item.state === 'ready');
  }

  /** Whether nothing is missing: every file is ready or cannot be sent. */
  get settled(): boolean {
    return (
      !this.#listDue && this.#removals === 0 && this.#items.every((item) => item.state === 'ready' || isStopped(item))
    );
  }

  get busy(): boolean {
    return this.#items.some(isMoving);
  }

  get reachable(): boolean {
    return this.#reachable;
  }

  get total(): Total {
    return this.#progress.total(this.#items);
  }

  /** Notes whether the server responded to a request. */
  heard(reachable: boolean): void {
    if (reachable === this.#reachable) return;
    this.#reachable = reachable;
    this.onReachable(reachable);
    this.onChange();
  }

  /** Asks the server for the files of an earlier visit. */
  begin(): void {
    this.#watch.hurry();
  }

  /**
   * Checks all files again, because the server says that some are not ready: none counts as ready until it has said
   * which.
   */
  recheck(): void {
    for (const item of this.#items) if (item.state === 'ready') item.state = 'checking';
    this.#listDue = true;
    this.#watch.hurry();
    this.onChange();
  }

  /** Stops everything. */
  end(): void {
    this.#watch.end();
    for (const item of this.#items.filter(isMoving)) this.#pause(item);
    this.onChange();
  }

  add(picked: readonly Picked[]): Added {
    let count = 0;
    let tooMany = false;
    for (const { file, path, kept } of picked) {
      const chosen = toChosen(file, path, this.#limits.draftKey);
      const { fingerprint } = chosen;
      const same = this.#items.find((item) => item.fingerprint === fingerprint && item.state !== 'interrupted');
      if (same && !isStopped(same)) continue;
      // A person who chooses a file again that could not be sent has done something about it.
      if (same) void this.remove(same.key);
      const earlier =
        this.#items.find((item) => item.fingerprint === fingerprint && item.state === 'interrupted') ??
        this.#items.find((item) => isRestOf(item, chosen));
      const isTooLarge = file.size > this.#limits.maxFileBytes;
      if (!earlier && !isTooLarge && this.#sendable >= this.#limits.maxFiles) {
        tooMany = true;
        continue;
      }
      const item: Item = {
        ...toItem(chosen, earlier?.key ?? this.#nextKey++),
        name: earlier?.name ?? (chosen.path === undefined ? freeName(chosen.name, this.#items) : chosen.name),
        file,
        kept: kept ?? earlier?.kept,
        sentBytes: earlier?.sentBytes ?? 0,
        url: earlier?.url,
        ...(isTooLarge ? { state: 'refused', obstacle: 'too_large' } : { state: 'waiting' }),
      };
      if (earlier) this.#items[this.#items.indexOf(earlier)] = item;
      else this.#items.push(item);
      count += 1;
    }
    this.#pump();
    return { count, tooMany };
  }

  get #sendable(): number {
    return this.#items.filter((item) => !isStopped(item)).length;
  }

  pause(key: number): void {
    const item = this.#find(key);
    if (!item || !isMoving(item)) return;
    this.#pause(item);
    this.#pump();
  }

  /** Continues a file after a pause or a failure. */
  resume(key: number): void {
    const item = this.#find(key);
    if (item?.state !== 'paused' && item?.state !== 'failed') return;
    item.state = 'waiting';
    item.obstacle = undefined;
    this.#pump();
  }

  /**
   * Returns whether it was removed. A file that the server still has comes back to the list: it would be sent with the
   * others.
   */
  async remove(key: number): Promise<boolean> {
    const item = this.#find(key);
    if (!item) return true;
    this.#items = this.#items.filter((other) => other !== item);
    this.#progress.recount();
    this.#removals += 1;
    this.#pump();
    await item.transfer?.stop();
    this.#removals -= 1;
    const gone = item.url === undefined || (await this.#removeFromServer(item.url));
    this.onChange();
    return gone;
  }

  /** Discards what was kept of a file that this browser may no longer read. */
  discardKept(key: number): void {
    const item = this.#find(key);
    if (item) item.kept = undefined;
    this.onChange();
  }

  removeAll(...states: readonly UploadState[]): void {
    for (const item of this.#items) if (states.includes(item.state)) void this.remove(item.key);
  }

  /** Stops uploads in progress until the network is back. */
  offline(): void {
    this.heard(false);
    for (const item of this.#items.filter(({ state }) => state === 'uploading')) {
      item.state = 'offline';
      item.transfer?.cut();
    }
    this.onChange();
  }

  /** Continues uploads that waited for the network. */
  online(): void {
    this.heard(true);
    this.#watch.hurry();
    this.#goOn();
  }

  #pause(item: Item): void {
    item.state = 'paused';
    void item.transfer?.stop();
  }

  async #removeFromServer(url: string): Promise<boolean> {
    const id = parseUploadId(url);
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

  #pump(): void {
    let under = this.#items.filter((item) => item.state === 'uploading').length;
    for (const item of this.#items) {
      if (under >= atOnce) break;
      if (item.state !== 'waiting' || !item.file) continue;
      under += 1;
      item.state = 'uploading';
      item.transfer ??= this.#newTransfer(item, item.file);
      item.transfer.start();
    }
    this.onChange();
  }

  #newTransfer(item: Item, file: File): Transfer {
    return newTransfer(item, file, this.#limits.tusEndpoint, this.#browser, {
      isListed: () => this.#find(item.key) === item,
      heard: (reachable) => this.heard(reachable),
      removeFromServer: (url) => this.#removeFromServer(url),
      onProgress: () => {
        this.#progress.note(this.#browser.now(), this.#items);
        this.onChange();
      },
      onArrived: () => {
        this.#watch.wake();
        this.#pump();
        this.onNews([{ name: item.name, state: 'checking' }]);
      },
      onBroken: (error) => {
        if (isWithoutResponse(error)) this.heard(false);
        if (isTemporary(error)) {
          item.state = 'offline';
          this.#tryAgainLater();
          void this.#failIfUnreadable(item, file);
        } else {
          this.#fail(item, toObstacle(findRefusal(error)));
        }
        this.#pump();
      },
    });
  }

  /** A browser reports a file that changed or is gone as if the network had failed. */
  async #failIfUnreadable(item: Item, file: File): Promise<void> {
    try {
      await file.slice(0, 1).arrayBuffer();
    } catch {
      this.#fail(item, 'unreadable');
    }
  }

  #fail(item: Item, obstacle: Obstacle): void {
    if (this.#find(item.key) !== item) return;
    const state = mayPass.has(obstacle) ? 'failed' : 'refused';
    item.state = state;
    item.obstacle = obstacle;
    this.#progress.recount();
    // The failure may affect more than this file: the link may have ended.
    this.#listDue = true;
    this.#watch.wake();
    this.onNews([{ name: item.name, state, obstacle }]);
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

  #ask(): Promise<readonly DraftFile[] | 'ended' | undefined> {
    const ids = this.#items.flatMap((item) => (item.url === undefined ? [] : [parseUploadId(item.url)]));
    return this.#browser.files(ids).then(
      (files) => {
        this.heard(true);
        return files;
      },
      () => {
        this.heard(false);
        return undefined;
      },
    );
  }

  /** Applies the response only to files that had arrived before the request. */
  #listen(): (files: readonly DraftFile[]) => void {
    const delivered = this.#items.filter(isDelivered);
    const listDue = this.#listDue;
    const interrupted = listDue ? this.#items.filter(({ state, url }) => state === 'interrupted' && url) : [];
    return (files) => {
      const byId = new Map(files.map((file) => [file.id, file]));
      for (const item of interrupted) {
        if (this.#items.includes(item)) restore(item, byId.get(parseUploadId(item.url)), this.#limits.tusEndpoint);
      }
      const news = delivered
        .filter((item) => this.#items.includes(item))
        .flatMap((item) => adopt(item, byId.get(parseUploadId(item.url))) ?? []);
      const before = this.#items.length;
      // Neither the server nor this browser has these files.
      this.#items = this.#items.filter((item) => item.state !== 'interrupted' || item.url || item.fingerprint);
      if (this.#items.length < before || news.some(({ obstacle }) => obstacle)) this.#progress.recount();
      if (listDue) this.#addUnknown(files);
      this.onChange();
      if (news.length > 0) this.onNews(news);
    };
  }

  #addUnknown(files: readonly DraftFile[]): void {
    // An upload that is just being opened or removed may be one of them; the next response will tell.
    const isOpening = (item: Item) => item.url === undefined && (item.state === 'uploading' || item.transfer?.opening);
    if (this.#removals > 0 || this.#items.some(isOpening)) return;
    this.#listDue = false;
    const known = new Set([...this.#removed, ...this.#items.map((item) => parseUploadId(item.url))]);
    for (const file of files.filter(({ id }) => !known.has(id))) {
      if (this.#items.some((item) => isEmptyDouble(file, item))) {
        void this.#removeFromServer(toUploadUrl(file, this.#limits.tusEndpoint));
        continue;
      }
      const path = file.path.includes('/') ? file.path : undefined;
      const chosen = this.#items.find(
        (item) => (item.path ?? item.name) === (path ?? file.name) && item.file === undefined && !item.url,
      );
      const item = chosen ?? toItem({ ...file, path, fingerprint: undefined }, this.#nextKey++);
      if (!chosen) this.#items.push(item);
      applyServerFile(item, file, this.#limits.tusEndpoint);
    }
    this.#tellKnown();
  }
}
