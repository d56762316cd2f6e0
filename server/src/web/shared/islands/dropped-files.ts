import { getDroppedHandle, type HandledFile, listHandles } from './file-handles.ts';
import type { KeptFile } from './upload-entry.ts';

/** A file, and its path in the folder that was chosen. */
export interface Picked {
  readonly file: File;
  readonly path: string;
  readonly kept?: KeptFile | undefined;
}

export function readPickedFiles(list: FileList | null): Picked[] {
  return Array.from(list ?? [], (file) => ({ file, path: file.webkitRelativePath || file.name }));
}

/** Leaves out files that are gone by now. */
export async function readHandledFiles(handled: readonly HandledFile[]): Promise<Picked[]> {
  const read = async ({ handle, path }: HandledFile) => {
    const file = await handle.getFile().catch(() => undefined);
    return file ? [{ file, path, kept: handle }] : [];
  };
  return (await Promise.all(handled.map(read))).flat();
}

/**
 * Reads everything that was dropped, including folders, by handles where the browser has them. The items are gone after
 * the event, so they are read at once.
 */
export async function readDroppedFiles(data: DataTransfer): Promise<Picked[]> {
  const dropped = Array.from(data.items)
    .filter(({ kind }) => kind === 'file')
    .map((item) => ({ handle: getDroppedHandle(item), entry: item.webkitGetAsEntry() }));
  if (!dropped.some(({ entry }) => entry)) return readPickedFiles(data.files);
  const found: Picked[] = [];
  for (const { handle, entry } of dropped) {
    const known = await handle;
    if (known) found.push(...(await readHandledFiles(await listHandles(known))));
    else if (entry) await walk(entry, found);
  }
  return found;
}

/**
 * Reads the files of the clipboard. A screenshot has no name of its own; it exists nowhere else, so the browser keeps the
 * file itself. A copied file is often without a path and may be large, so it is not kept.
 */
export function readPastedFiles(data: DataTransfer, now: Date): Picked[] {
  const names = new Set<string>();
  return Array.from(data.files, (file) => {
    if (!isUnnamedImage(file)) return { file, path: file.name };
    const name = freeScreenshotName(file, now, names);
    names.add(name);
    const named = new File([file], name, { type: file.type, lastModified: now.getTime() });
    return { file: named, path: name, kept: named };
  });
}

/** Browsers call every picture of the clipboard the same. */
function isUnnamedImage({ name, type }: File): boolean {
  return type.startsWith('image/') && (name === '' || /^image\.\w+$/.test(name));
}

function freeScreenshotName(file: File, now: Date, taken: ReadonlySet<string>): string {
  const two = (count: number) => String(count).padStart(2, '0');
  const date = [now.getFullYear(), two(now.getMonth() + 1), two(now.getDate())].join('-');
  const time = [now.getHours(), now.getMinutes(), now.getSeconds()].map(two).join('.');
  const end = file.type.split('/')[1]?.replace(/\+.*/, '') ?? 'png';
  for (let copy = 1; ; copy += 1) {
    const name = `Screenshot ${date} ${time}${copy === 1 ? '' : ` (${copy})`}.${end}`;
    if (!taken.has(name)) return name;
  }
}

async function walk(entry: FileSystemEntry, found: Picked[]): Promise<void> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    found.push({ file, path: entry.fullPath.replace(/^\//, '') });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  // A reader returns entries in portions; an empty one is the last.
  for (;;) {
    const portion = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (portion.length === 0) return;
    for (const child of portion) await walk(child, found);
  }
}
