/** A file, and its path in the folder that was chosen. */
export interface Picked {
  readonly file: File;
  readonly path: string;
}

export function readPickedFiles(list: FileList | null): Picked[] {
  return Array.from(list ?? [], (file) => ({ file, path: file.webkitRelativePath || file.name }));
}

/**
 * Reads everything that was dropped, including folders. The items are gone after the event, so they are read at once.
 */
export async function readDroppedFiles(data: DataTransfer): Promise<Picked[]> {
  const entries = Array.from(data.items, (item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  if (entries.length === 0) return readPickedFiles(data.files);
  const found: Picked[] = [];
  for (const entry of entries) await walk(entry, found);
  return found;
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
