import { fileURLToPath } from 'node:url';

/** Debian's Python, for which tools/setup installs packages. The first one in the PATH may be another. */
export const python = '/usr/bin/python3';
/** The client for Python. */
export const pythonFolder = fileURLToPath(new URL('../../python/', import.meta.url));
/** An environment in which Python finds the client's source. */
export const pythonEnvironment: NodeJS.ProcessEnv = {
  ...process.env,
  PYTHONPATH: `${pythonFolder}src`,
  PYTHONUNBUFFERED: '1',
  PYTHONUTF8: '1',
};
