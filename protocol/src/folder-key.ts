export interface FileInFolder {
  readonly id: string;
  /** The path in the folder that was sent, ending with the name. */
  readonly path: string;
}

const shape = /^(?<id>[0-9a-f-]{36})\.(?<depth>[1-9]\d{0,3})$/;

/**
 * Names a folder in a URL by one of the files in it, and by how many names its path has: so it is as short for every path,
 * and no log of requests has the names that people gave their folders.
 */
export function toFolderKey(folder: string, inside: Pick<FileInFolder, 'id'>): string {
  return `${inside.id}.${folder.split('/').length - 1}`;
}

/** Finds the path of the folder, which ends with a slash; undefined if there is none of this key among the files. */
export function findFolder(files: readonly FileInFolder[], key: string): string | undefined {
  const { id = '', depth = '' } = shape.exec(key)?.groups ?? {};
  const inside = files.find((file) => file.id === id);
  const names = inside?.path.split('/').slice(0, -1) ?? [];
  if (!inside || names.length < Number(depth)) return undefined;
  return names
    .slice(0, Number(depth))
    .map((name) => `${name}/`)
    .join('');
}
