import type { UnscannedReason } from '../../../domain/files/file-store.ts';
import type { ScanState } from '../../../present/texts/scan-texts.ts';

export type UploadState =
  | 'waiting'
  | 'uploading'
  | 'paused'
  | 'offline'
  /** Could not be uploaded; trying again may help. */
  | 'failed'
  | 'interrupted'
  | 'checking'
  | 'ready'
  /** Can never be sent as it is. */
  | 'refused';

/** Why a file cannot be sent. */
export type Obstacle =
  /** Larger than any file may be. */
  | 'too_large'
  /** The files sent through the link would be too large together. */
  | 'link_full'
  | 'too_large_to_scan'
  | 'infected'
  | 'encrypted'
  | 'damaged'
  | 'unchecked'
  | 'invalid_name'
  | 'storage_full'
  /** The browser can no longer read it. */
  | 'unreadable'
  /** None of the above. */
  | 'unknown';

/** A file as it was chosen. */
export interface Chosen {
  readonly name: string;
  /** The path in the folder that was chosen, including the name; undefined if the file was chosen by itself. */
  readonly path: string | undefined;
  readonly sizeBytes: number;
  /** Distinguishes this file from any other; undefined if it was chosen in another browser. */
  readonly fingerprint: string | undefined;
  /** The URL of its upload, once the server has created one. */
  readonly url?: string | undefined;
  /** Lets a later visit read the file without asking for it again. */
  readonly kept?: KeptFile | undefined;
}

/** The part of a chosen file that a browser can store: its handle, or the file itself if it is nowhere else. */
export type KeptFile = FileSystemFileHandle | File;

/** One line of the list. */
export interface Entry extends Chosen {
  readonly key: number;
  readonly sentBytes: number;
  readonly state: UploadState;
  /** Known if it failed or was refused. */
  readonly obstacle: Obstacle | undefined;
  /** Known when it is ready. */
  readonly scan: ScanState | undefined;
  readonly unscannedReason?: UnscannedReason | null;
}

/** Whether all its bytes have been sent from this browser; from here on, the server's state counts. */
export function isDelivered({ state }: Entry): boolean {
  return state === 'checking' || state === 'ready' || state === 'refused';
}

/** Whether it is being uploaded, or will be without any action. */
export function isMoving({ state }: Entry): boolean {
  return state === 'uploading' || state === 'waiting' || state === 'offline';
}

/** Whether it cannot be sent, unless something is done about it. */
export function isStopped({ state }: Entry): boolean {
  return state === 'failed' || state === 'refused';
}

const obstacles: Readonly<Record<string, Obstacle>> = {
  too_large: 'link_full',
  too_large_to_scan: 'too_large_to_scan',
  infected: 'infected',
  encrypted: 'encrypted',
  damaged: 'damaged',
  digest_mismatch: 'damaged',
  unchecked: 'unchecked',
  invalid_name: 'invalid_name',
  storage_full: 'storage_full',
};

/** Reads the code of a refusal. A file that is larger than any may be is not announced to the server at all. */
export function toObstacle(code: string | null | undefined): Obstacle {
  return obstacles[code ?? ''] ?? 'unknown';
}
