/** The parts of the File System Access API that not every browser has, and that are missing from the types. */
interface WithHandles {
  showOpenFilePicker?(options: { multiple: boolean }): Promise<FileSystemFileHandle[]>;
  showDirectoryPicker?(): Promise<FileSystemDirectoryHandle>;
}

interface WithPermission {
  queryPermission?(options: { mode: 'read' }): Promise<PermissionState>;
  requestPermission?(options: { mode: 'read' }): Promise<PermissionState>;
}

interface DroppedItem {
  getAsFileSystemHandle?(): Promise<FileSystemHandle | null>;
}

/** A file of which the browser has a handle, and its path in the folder that was chosen. */
export interface HandledFile {
  readonly handle: FileSystemFileHandle;
  readonly path: string;
}

/** Asks for the handle at once, because the items of a drop are gone after the event. */
export async function getDroppedHandle(item: DataTransferItem): Promise<FileSystemHandle | undefined> {
  try {
    return (await (item as DroppedItem).getAsFileSystemHandle?.()) ?? undefined;
  } catch {
    return undefined;
  }
}

/**
 * Lets the person choose files, or all files of a folder. Returns undefined if this browser has no handles, or does not
 * let this page use them: the page then asks in the way that every browser has.
 */
export async function chooseHandles(
  what: 'files' | 'folder',
  browser: WithHandles = window as WithHandles,
): Promise<HandledFile[] | undefined> {
  try {
    if (what === 'files') {
      const handles = await browser.showOpenFilePicker?.({ multiple: true });
      return handles?.map((handle) => ({ handle, path: handle.name }));
    }
    const folder = await browser.showDirectoryPicker?.();
    return folder && (await listHandles(folder));
  } catch (error) {
    // The person closed the dialog.
    return error instanceof DOMException && error.name === 'AbortError' ? [] : undefined;
  }
}

/** Lists a file, or all files of a folder with their paths in it. */
export async function listHandles(handle: FileSystemHandle, path = handle.name): Promise<HandledFile[]> {
  if (handle.kind === 'file') return [{ handle: handle as FileSystemFileHandle, path }];
  const found: HandledFile[] = [];
  for await (const child of (handle as FileSystemDirectoryHandle).values()) {
    found.push(...(await listHandles(child, `${path}/${child.name}`)));
  }
  return found;
}

export async function mayRead(handle: FileSystemFileHandle): Promise<boolean> {
  return ((await (handle as WithPermission).queryPermission?.({ mode: 'read' })) ?? 'granted') === 'granted';
}

/** Asks the person; only possible while a press is being handled. */
export async function askToRead(handle: FileSystemFileHandle): Promise<boolean> {
  return ((await (handle as WithPermission).requestPermission?.({ mode: 'read' })) ?? 'granted') === 'granted';
}
