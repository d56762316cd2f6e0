import type { CutOffLink } from './components/whole-link.tsx';

/** Characters of every token in a link that a mail contains. */
const tokenLength = 43;

/** The addresses of these links: of files, of requests, of mails to stop, and of invitations and recovery. */
export const linkPath = /^\/(?:d|u|m|sign-in\/link)(?=\/|$)/;

/**
 * Returns what arrived of a link that is too short to be one. Only the length is compared, so that nobody learns from it
 * whether a link exists.
 */
export function findCutOff(url: string): CutOffLink | undefined {
  const [path = ''] = url.split('?', 1);
  const [place] = linkPath.exec(path) ?? [];
  if (place === undefined) return undefined;
  const arrived = path.slice(place.length + 1);
  if (!/^[\w-]*$/.test(arrived) || arrived.length >= tokenLength) return undefined;
  return { place: `${place}/`, arrived, whole: tokenLength };
}
