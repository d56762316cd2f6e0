/** Settings by name, such as a process has in its environment. */
export type Settings = Readonly<Record<string, string>>;

/** A line that sets something, as systemd and a shell understand it. */
const assignment = /^\s*(?:export\s+)?([A-Za-z_]\w*)=(.*)$/;

export function parseEnvironment(text: string): Settings {
  const entries = text.split('\n').flatMap((line) => {
    const [, name, value] = assignment.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name, unquoted(value.trim())] as const];
  });
  return Object.fromEntries(entries);
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
    return [parseEnvironment(line)[name] === value ? line : lineOf(name, value)];
  });
  const added = Object.entries(settings).filter(([name]) => !present.has(name));
  const kept = lines.join('\n').replace(/\n*$/, lines.join('') === '' ? '' : '\n');
  return kept + added.map(([name, value]) => `${lineOf(name, value)}\n`).join('');
}

/** In single quotes where needed, which mean the same to systemd and to a shell. */
function lineOf(name: string, value: string): string {
  if (/[\p{Cc}']/u.test(value)) {
    throw new Error(`${name} contains a control character or a single quote, which the environment file cannot hold.`);
  }
  return /^[\w@%+=:,./-]*$/.test(value) ? `${name}=${value}` : `${name}='${value}'`;
}

function unquoted(value: string): string {
  const [, inside] = /^(?:'([^']*)')$/.exec(value) ?? [];
  if (inside !== undefined) return inside;
  const [, escaped] = /^"((?:[^"\\]|\\.)*)"$/.exec(value) ?? [];
  return escaped === undefined ? value : escaped.replaceAll(/\\(["\\$`])/g, '$1');
}
