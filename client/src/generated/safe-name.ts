// Copied by npm run generate from protocol/src/safe-name.ts. Change that file, not this one.
/**
 * File names that other people chose, made safe to create in a folder on Windows, macOS and Linux. Pure: the ZIP and the
 * client use the same rules, so a file has the same name whichever way it is fetched.
 */

const maxNameBytes = 255;
/** Folders and name; as many as the server takes. */
const maxPathDepth = 32;

/** Not allowed in a name on Windows, or used to make a name look like another one (control and bidirectional characters). */
const unsafeCharacters =
  /[<>:"/\\|?*\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]|(?<![. ])[. ]+$/gu;

/** Names that Windows gives to devices, whatever extension follows. */
const deviceName = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(?:\.|$)/i;

const invisibleCharacters = /\p{Default_Ignorable_Code_Point}/gu;
const blankCharacters = /[\s\u2800]/gu;

/** At most 16 characters and without spaces: what follows the dot of "No. 5 of the yearly report" is not an extension. */
const extension = /(?<=.)\.[^.\s]{1,16}$/su;

/**
 * Returns distinct names that can be created in one folder on Windows, macOS and Linux, in the order of `names`. Names that are safe and distinct already are
 * returned unchanged. A name that looks or counts the same as an earlier one gets a number: `report (2).csv`.
 *
 * @param names Names that someone else chose.
 * @returns The names, in the same order.
 */
export function safeLocalNames(names: readonly string[]): string[] {
  const folder = new LocalFolder();
  return names.map((name) => folder.addFile(safeLocalName(name)));
}

/**
 * Returns the same for paths with `/` between their folders. Folders whose names look or count the same are one folder, which is
 * called as it was first; a folder that is called as an earlier file gets a number.
 *
 * @param paths Paths that someone else chose.
 * @returns The paths, in the same order.
 */
export function safeLocalPaths(paths: readonly string[]): string[] {
  const root = new LocalFolder();
  // By the path before it is safe: most files share their folders, and making each name safe for each file takes long.
  const folders = new Map<string, LocalFolder>();
  const findFolder = (path: string): LocalFolder => {
    const end = path.lastIndexOf('/');
    if (end === -1) return root;
    const folderPath = path.slice(0, end);
    const known = folders.get(folderPath);
    if (known) return known;
    const folder = findFolder(folderPath).folder(safeLocalName(nameOf(folderPath)));
    folders.set(folderPath, folder);
    return folder;
  };
  return paths.map((path) => (isTooDeep(path) ? root : findFolder(path)).addFile(safeLocalName(nameOf(path))));
}

function isTooDeep(path: string): boolean {
  return path.split('/').length > maxPathDepth;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** The folders and the name of a path, each safe everywhere. Of a path that is too deep, the name alone. */
export function safeLocalPath(path: string): string[] {
  return (isTooDeep(path) ? [nameOf(path)] : path.split('/')).map(safeLocalName);
}

class LocalFolder {
  readonly #prefix: string;
  readonly #taken = new Set<string>();
  /** By the name that was asked for. */
  readonly #folders = new Map<string, LocalFolder>();
  /** Where to continue counting: without this, a thousand equal names would take half a million attempts. */
  readonly #nextNumbers = new Map<string, number>();

  constructor(prefix = '') {
    this.#prefix = prefix;
  }

  addFile(name: string): string {
    return this.#prefix + this.#take(name, localNameKey(name));
  }

  folder(name: string): LocalFolder {
    const key = localNameKey(name);
    const known = this.#folders.get(key);
    if (known) return known;
    const folder = new LocalFolder(`${this.#prefix}${this.#take(name, key)}/`);
    this.#folders.set(key, folder);
    return folder;
  }

  #take(name: string, key: string): string {
    for (let number = this.#nextNumbers.get(key) ?? 1; ; number += 1) {
      const candidate = numberedName(name, number);
      const candidateKey = number === 1 ? key : localNameKey(candidate);
      if (this.#taken.has(candidateKey)) continue;
      this.#taken.add(candidateKey);
      this.#nextNumbers.set(key, number + 1);
      return candidate;
    }
  }
}

/**
 * Returns the name itself where it is safe everywhere; otherwise with an underscore for each unsafe character.
 *
 * @param name A name that someone else chose.
 * @returns A name that can be created on Windows, macOS and Linux.
 */
export function safeLocalName(name: string): string {
  const short = shortenName(name.toWellFormed().normalize('NFC'), '');
  const device = deviceName.test(short.replace(invisibleCharacters, ''));
  const safe = (device ? shortenName(`_${short}`, '') : short).replace(unsafeCharacters, (found) =>
    '_'.repeat(found.length),
  );
  return isBlank(safe) ? '_' : safe;
}

function isBlank(name: string): boolean {
  return name.replace(invisibleCharacters, '').replace(blankCharacters, '') === '';
}

/** The name with a number before its extension; number 1 is the name itself. */
export function numberedName(name: string, number: number): string {
  return number === 1 ? name : shortenName(name, ` (${number})`);
}

/**
 * Equal for names that a file system may take for the same, or that a reader cannot tell apart: names that differ only in
 * case, in Unicode normalization, or in invisible characters.
 */
export function localNameKey(name: string): string {
  return (
    name
      .replace(invisibleCharacters, '')
      .replace(blankCharacters, ' ')
      .normalize('NFD')
      // Lower case first: only then do all forms of a letter, such as ẞ and ß, have the same upper case.
      .toLowerCase()
      .toUpperCase()
      .normalize('NFC')
  );
}

/** Puts `suffix` before the extension, and drops the end of the stem where the name would be too long. */
function shortenName(name: string, suffix: string): string {
  const found = extension.exec(name)?.[0] ?? '';
  const stem = Array.from(name.slice(0, name.length - found.length));
  const ending = suffix + found;
  let bytes = utf8Length(stem.join('')) + utf8Length(ending);
  while (bytes > maxNameBytes) bytes -= utf8Length(stem.pop() ?? '');
  return stem.join('') + ending;
}

function utf8Length(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const codePoint = character.codePointAt(0) ?? 0;
    bytes += codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
  }
  return bytes;
}
