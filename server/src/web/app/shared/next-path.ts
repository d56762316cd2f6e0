import { toReturnPath } from '../../../domain/return-path.ts';

/** Steps of a sign-in, of which only one is a page to go on with after it: that on which an identity is linked. */
const step = /^\/sign-in(?![^/])/;
const linking = /^\/sign-in\/provider\/[^/]+\/confirm$/;

/**
 * The path to go to after sign-in, if it is one of ours. It is no step of a sign-in: those begin something, or lead back
 * to the sign-in.
 */
export function readNextPath(text: string | null | undefined): string | undefined {
  const path = toReturnPath(text ?? undefined);
  if (path === '/') return undefined;
  const { pathname } = new URL(path, 'https://own.invalid');
  // As the router reads it.
  const decoded = decode(pathname);
  return decoded === undefined || (step.test(decoded) && !linking.test(pathname)) ? undefined : path;
}

/** Whether a path of our own leads to the page on which an identity is linked. */
export function isLinkingPath(path: string): boolean {
  return linking.test(new URL(path, 'https://own.invalid').pathname);
}

/** Adds the path to go to after sign-in to the address of a step before. */
export function withNext(path: string, next: string | undefined): string {
  return next === undefined ? path : `${path}?next=${encodeURIComponent(next)}`;
}

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
