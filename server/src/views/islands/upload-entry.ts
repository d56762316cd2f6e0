import type { ScanState } from '../components/scan-texts.ts';

export type UploadState =
  | 'waiting'
  | 'uploading'
  | 'paused'
  | 'offline'
  | 'failed'
  /** The account has no room for it. */
  | 'full'
  | 'interrupted'
  | 'checking'
  | 'ready'
  | 'refused';

/** A file as it was chosen. */
export interface Chosen {
  readonly name: string;
  /** The path in the folder that was chosen, including the name; undefined if the file was chosen by itself. */
  readonly path: string | undefined;
  readonly sizeBytes: number;
  /** Distinguishes this file from any other; undefined if it was chosen in another browser. */
  readonly fingerprint: string | undefined;
}

/** One line of the list. */
export interface Entry extends Chosen {
  readonly key: number;
  readonly sentBytes: number;
  readonly state: UploadState;
  /** Known when it is ready. */
  readonly scan: ScanState | undefined;
}

/** A file as the server describes it. */
export interface ServerFile {
  readonly id: string;
  readonly name: string;
  /** The path, or only the name if the file was chosen by itself. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly receivedBytes: number;
  readonly state: 'uploading' | 'checking' | 'ready' | 'refused';
  readonly scan: ScanState | null;
}

/** Whether all its bytes have been sent from this browser; from here on, the server's state counts. */
export function isDelivered({ state }: Entry): boolean {
  return state === 'checking' || state === 'ready' || state === 'refused';
}

/** Whether it is being uploaded, or will be without any action. */
export function isMoving({ state }: Entry): boolean {
  return state === 'uploading' || state === 'waiting' || state === 'offline';
}
