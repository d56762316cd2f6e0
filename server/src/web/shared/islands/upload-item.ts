import type { UnscannedReason } from '../../../domain/files/file-store.ts';
import type { DraftFile } from '../../../domain/uploads/upload-store.ts';
import type { ScanState } from '../../../present/texts/scan-texts.ts';
import { type Chosen, type Entry, type KeptFile, type Obstacle, toObstacle, type UploadState } from './upload-entry.ts';

/** The transfer of a file, which can be stopped and started again. */
export interface Transfer {
  /** Whether the server may have created an upload that is not known here yet. */
  readonly opening: boolean;
  start(): void;
  /** Resolves when it has stopped; if the server opened an upload, its URL is known by then. */
  stop(): Promise<void>;
  /** Stops at once, without waiting for responses; for a network failure. */
  cut(): void;
}

/** An entry as the queue keeps it. */
export interface Item extends Entry {
  kept: KeptFile | undefined;
  readonly file: File | undefined;
  sentBytes: number;
  state: UploadState;
  obstacle: Obstacle | undefined;
  scan: ScanState | undefined;
  unscannedReason: UnscannedReason | null;
  url: string | undefined;
  transfer: Transfer | undefined;
}

/** An event in the life of a file. */
export interface News {
  readonly name: string;
  readonly state: 'checking' | 'ready' | 'refused' | 'failed';
  readonly obstacle?: Obstacle | undefined;
}

/**
 * Describes a chosen file. The link is part of the fingerprint: the same file for another link is a different upload.
 */
export function toChosen(file: File, path: string, draftKey: string): Chosen {
  const name = file.name.normalize('NFC');
  const whole = path.normalize('NFC');
  return {
    name,
    path: whole === name ? undefined : whole,
    sizeBytes: file.size,
    fingerprint: ['waybill', draftKey, whole, file.size, file.lastModified].join('|'),
  };
}

/** Creates an item for a chosen file of which nothing else is known. */
export function toItem({ name, path, sizeBytes, fingerprint, url, kept }: Chosen, key: number): Item {
  return {
    key,
    name,
    path,
    sizeBytes,
    fingerprint,
    kept,
    file: undefined,
    sentBytes: 0,
    state: 'interrupted',
    obstacle: undefined,
    scan: undefined,
    unscannedReason: null,
    url,
    transfer: undefined,
  };
}

/** Applies the state of a file that the server has from an earlier visit, or from another open page. */
export function applyServerFile(item: Item, file: DraftFile, tusEndpoint: string): void {
  item.url = toUploadUrl(file, tusEndpoint);
  item.sentBytes = file.receivedBytes;
  item.state = file.state === 'uploading' ? 'interrupted' : file.state;
  item.obstacle = file.state === 'refused' ? toObstacle(file.refusal) : undefined;
  item.scan = file.scan ?? undefined;
  item.unscannedReason = file.unscannedReason ?? null;
}

/** Applies the state of an upload that an earlier visit began; `file` is undefined if the server no longer has it. */
export function restore(item: Item, file: DraftFile | undefined, tusEndpoint: string): void {
  if (file) return applyServerFile(item, file, tusEndpoint);
  item.url = undefined;
  item.sentBytes = 0;
}

export function toUploadUrl({ id }: DraftFile, tusEndpoint: string): string {
  return `${tusEndpoint}/${encodeURIComponent(id)}`;
}

/**
 * Whether this upload is an empty duplicate: the server created it for a file of this browser, but the response was
 * lost, and the browser created another.
 */
export function isEmptyDouble(file: DraftFile, item: Item): boolean {
  const isEmpty = file.state === 'uploading' && file.receivedBytes === 0;
  return (
    isEmpty && item.url !== undefined && item.file?.size === file.sizeBytes && (item.path ?? item.name) === file.path
  );
}

/** An upload's URL ends in the file's id, whether the server gave the URL or the page made it. */
export function parseUploadId(url: string | undefined): string {
  return decodeURIComponent(url?.slice(url.lastIndexOf('/') + 1) ?? '');
}

/**
 * Applies the server's state to an item whose bytes have all been sent; `file` is undefined if the server does not have
 * it.
 */
export function adopt(item: Item, file: DraftFile | undefined): News | undefined {
  const { name } = item;
  if (file && file.state !== 'uploading') {
    item.scan = file.scan ?? undefined;
    item.unscannedReason = file.unscannedReason ?? null;
    if (file.state === item.state) return undefined;
    item.state = file.state;
    item.obstacle = file.state === 'refused' ? toObstacle(file.refusal) : undefined;
    return { name, state: file.state, obstacle: item.obstacle };
  }
  // A refused file may have been removed. Any other missing file is lost, at least in part; a browser that still has it
  // can send it again.
  if (!file && item.state === 'refused') return undefined;
  item.sentBytes = file?.receivedBytes ?? 0;
  if (!file) item.url = undefined;
  item.state = item.file ? 'failed' : 'interrupted';
  item.obstacle = item.file && 'unknown';
  return item.file && { name, state: 'failed', obstacle: 'unknown' };
}

/** Whether this may be the rest of an item that was interrupted. */
export function isRestOf(item: Item, { name, path, sizeBytes, fingerprint }: Chosen): boolean {
  if (item.state !== 'interrupted' || item.sizeBytes !== sizeBytes) return false;
  if (item.fingerprint === fingerprint) return true;
  return item.path === undefined ? item.name === name : item.path === path;
}

/**
 * Makes the name of a file unique: files of the same name that were chosen one by one are two files. Those in a folder
 * are distinguished by their paths.
 */
export function freeName(wanted: string, items: readonly Item[]): string {
  const taken = new Set(items.map((item) => item.name));
  const [, stem = wanted, end = ''] = /^(.+?)((?:\.[^.]{1,8})?)$/s.exec(wanted) ?? [];
  for (let copy = 1; ; copy += 1) {
    const candidate = copy === 1 ? wanted : `${stem} (${copy})${end}`;
    if (!taken.has(candidate)) return candidate;
  }
}
