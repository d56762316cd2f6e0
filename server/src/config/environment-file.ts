/** Settings by name, such as a process has in its environment. */
export type Settings = Readonly<Record<string, string>>;

/**
 * The one syntax of the environment file: a line is empty, a comment that begins with #, or NAME=VALUE. The value extends
 * to the end of the line, without spaces around it. It may be in single quotes, or in double quotes with a backslash
 * before each ", \\, $ and `. Nothing is replaced in it, and no character has another meaning.
 */
const assignment = /^\s*(?:export\s+)?([A-Za-z_]\w*)=(.*)$/;

export function parseEnvironment(text: string): Settings {
  const entries = text.split('\n').flatMap((line) => {
    const [, name, value] = assignment.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name, unquote(value.trim())] as const];
  });
  return Object.fromEntries(entries);
}

/** The numbers of the lines that set nothing and are not comments. */
export function findWrongLines(text: string): number[] {
  return text
    .split('\n')
    .flatMap((line, index) => (/^\s*(?:#.*)?$/.test(line) || assignment.test(line) ? [] : [index + 1]));
}

/** The text with these settings and no other; comments, order and lines that stay the same are kept. */
export function updateEnvironment(text: string, settings: Settings): string {
  const present = new Set<string>();
  const lines = text.split('\n').flatMap((line) => {
    const name = assignment.exec(line)?.[1];
    if (name === undefined) return [line];
    const value = settings[name];
    if (value === undefined || present.has(name)) return [];
    present.add(name);
    return [parseEnvironment(line)[name] === value ? line : toLine(name, value)];
  });
  const added = Object.entries(settings).filter(([name]) => !present.has(name));
  const kept = lines.join('\n').replace(/\n*$/, lines.join('') === '' ? '' : '\n');
  return kept + added.map(([name, value]) => `${toLine(name, value)}\n`).join('');
}

/** In quotes where needed, which mean the same to a shell. */
function toLine(name: string, value: string): string {
  if (/\p{Cc}/u.test(value)) {
    throw new Error(`${name} contains a control character, which the environment file cannot hold.`);
  }
  if (/^[\w@%+=:,./-]*$/.test(value)) return `${name}=${value}`;
  if (!value.includes("'")) return `${name}='${value}'`;
  return `${name}="${value.replaceAll(/["\\$`]/g, '\\$&')}"`;
}

function unquote(value: string): string {
  const [, inside] = /^(?:'([^']*)')$/.exec(value) ?? [];
  if (inside !== undefined) return inside;
  const [, escaped] = /^"((?:[^"\\]|\\.)*)"$/.exec(value) ?? [];
  return escaped === undefined ? value : escaped.replaceAll(/\\(["\\$`])/g, '$1');
}
