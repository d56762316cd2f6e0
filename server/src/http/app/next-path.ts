import { toReturnPath } from '../../domain/return-path.ts';

/** The path to go to after sign-in, if it is one of ours. */
export function readNextPath(text: string | null | undefined): string | undefined {
  const path = toReturnPath(text ?? undefined);
  return path === '/' ? undefined : path;
}
