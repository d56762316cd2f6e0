export type UploadState =
  | 'waiting'
  | 'uploading'
  | 'paused'
  | 'offline'
  | 'failed'
  | 'interrupted'
  | 'checking'
  | 'ready'
  | 'refused';

/** One line of the list. */
export interface Entry {
  readonly key: number;
  readonly name: string;
  readonly sizeBytes: number;
  readonly sentBytes: number;
  readonly state: UploadState;
}

/** A file as the server tells of it. */
export interface ServerFile {
  readonly id: string;
  readonly name: string;
  readonly sizeBytes: number;
  readonly receivedBytes: number;
  readonly state: 'uploading' | 'checking' | 'ready' | 'refused';
}

/** All its bytes have left this browser: from here on the server's word counts. */
export function isDelivered({ state }: Entry): boolean {
  return state === 'checking' || state === 'ready' || state === 'refused';
}

/** It moves, or will by itself. */
export function isMoving({ state }: Entry): boolean {
  return state === 'uploading' || state === 'waiting' || state === 'offline';
}
