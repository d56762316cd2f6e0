import type { Upload } from 'tus-js-client';
import type { Entry, ServerFile, UploadState } from './upload-entry.ts';

/** An entry as the queue keeps it. */
export interface Item extends Entry {
  readonly fingerprint: string | undefined;
  readonly file: File | undefined;
  sentBytes: number;
  state: UploadState;
  url: string | undefined;
  transfer: { readonly upload: Upload; readonly prepared: Promise<void> } | undefined;
  /** How often it was started; only the latest start counts. */
  starts: number;
}

/** What became of a file. */
export interface News {
  readonly name: string;
  readonly state: 'checking' | 'ready' | 'refused' | 'failed';
}

/** Of an earlier visit, or of another page that is open. */
export function itemOf(file: ServerFile, key: number, tusEndpoint: string): Item {
  return {
    key,
    name: file.name,
    sizeBytes: file.sizeBytes,
    fingerprint: undefined,
    file: undefined,
    sentBytes: file.receivedBytes,
    state: file.state === 'uploading' ? 'interrupted' : file.state,
    url: `${tusEndpoint}/${encodeURIComponent(file.id)}`,
    transfer: undefined,
    starts: 0,
  };
}

/** An upload's address ends in the file's id, whether the server gave the address or the page made it. */
export function idOf(url: string | undefined): string {
  return decodeURIComponent(url?.slice(url.lastIndexOf('/') + 1) ?? '');
}

/** Takes the server's word for an item whose bytes have all left; `file` is undefined where the server has none. */
export function adopt(item: Item, file: ServerFile | undefined): News | undefined {
  const { name } = item;
  if (file && file.state !== 'uploading') {
    if (file.state === item.state) return undefined;
    item.state = file.state;
    return { name, state: file.state };
  }
  // What was refused may well be gone. Anything else is lost, or a part of it: who still has the file can send it again.
  if (!file && item.state === 'refused') return undefined;
  item.sentBytes = file?.receivedBytes ?? 0;
  if (!file) item.url = undefined;
  item.state = item.file ? 'failed' : 'interrupted';
  return item.file && { name, state: 'failed' };
}

/** Files of the same name from two folders are two files. */
export function freeName(wanted: string, items: readonly Item[]): string {
  const name = wanted.normalize('NFC');
  const taken = new Set(items.map((item) => item.name));
  const [, stem = name, end = ''] = /^(.+?)((?:\.[^.]{1,8})?)$/s.exec(name) ?? [];
  for (let copy = 1; ; copy += 1) {
    const candidate = copy === 1 ? name : `${stem} (${copy})${end}`;
    if (!taken.has(candidate)) return candidate;
  }
}
