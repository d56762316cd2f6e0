import type { JSX } from 'preact';

/** Proves that a form was sent from a page of ours. */
export function CsrfField({ csrf }: { csrf: string }): JSX.Element {
  return <input type="hidden" name="csrftoken" value={csrf} />;
}
