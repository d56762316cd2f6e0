import { readFileSync, statSync } from 'node:fs';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { findWrongLines, parseEnvironment } from './environment-file.ts';
import { resolveInStartDirectory } from './start-directory.ts';

export const environmentFile = 'WAYBILL_ENVIRONMENT_FILE';

/**
 * The environment with the variables of the environment file: a variable of the process takes precedence. Variables of
 * the libraries, such as AWS_REGION, may be in the file, too.
 */
export function readEnvironment(): { environment: NodeJS.ProcessEnv; problems: string[]; isComplete: boolean } {
  const named = process.env[environmentFile];
  if (!named) return { environment: process.env, problems: [], isComplete: true };
  const path = resolveInStartDirectory(named);
  let content: string;
  try {
    if ((statSync(path).mode & 0o007) !== 0) {
      const problem = `names a file open to every user of this machine. Run: chmod o= ${path}`;
      return { environment: process.env, problems: [`${environmentFile} ${problem}`], isComplete: false };
    }
    content = readFileSync(path, 'utf8');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const next = { ENOENT: ' Run: waybilld setup', EACCES: ' Run the command as root, such as with sudo.' }[code] ?? '';
    const problem = `names ${path}, which cannot be read (${code}).${next}`;
    return { environment: process.env, problems: [`${environmentFile} ${problem}`], isComplete: false };
  }
  const problems = findWrongLines(content).map(
    (line) => `${environmentFile}: line ${line} of ${path} is not NAME=VALUE.`,
  );
  const added = Object.entries(parseEnvironment(content)).filter(([name]) => process.env[name] === undefined);
  for (const [name, value] of added.filter(([other]) => !other.startsWith('WAYBILL_'))) {
    if (name === 'NODE_EXTRA_CA_CERTS') addAuthorities(value, problems);
    else if (name === 'NODE_OPTIONS') problems.push(`NODE_OPTIONS has no effect in ${path}: set it for the service.`);
    else process.env[name] = value;
  }
  return { environment: { ...Object.fromEntries(added), ...process.env }, problems, isComplete: true };
}

/** Node itself reads this variable before it runs the program. */
function addAuthorities(path: string, problems: string[]): void {
  try {
    const extra = readFileSync(resolveInStartDirectory(path), 'utf8');
    setDefaultCACertificates([...new Set([...getCACertificates('default'), extra])]);
  } catch (error) {
    problems.push(`NODE_EXTRA_CA_CERTS names ${path}, which cannot be used: ${(error as Error).message}.`);
  }
}

export function readSecretFile(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const path = resolveInStartDirectory(given);
  try {
    if ((statSync(path).mode & 0o007) === 0) return readFileSync(path, 'utf8').trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Error(`is to be read from ${path}, which cannot be read (${code}).`, { cause: error });
  }
  throw new Error(`is in a file open to every user of this machine. Run: chmod o= ${path}`);
}
