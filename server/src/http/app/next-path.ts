/** An address of this server's own, without what browsers read as another host: `//host`, `/\host`. */
const ownPath = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]{0,500}$/;

/** The path to go to after sign-in, if it is one of ours. */
export function readNextPath(text: string | null | undefined): string | undefined {
  return text != null && ownPath.test(text) ? text : undefined;
}
