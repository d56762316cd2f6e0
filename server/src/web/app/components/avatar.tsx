import type { JSX } from 'preact';

/** The initials of a name, in a circle for one person and in a square for an account that several share. */
export function Avatar({ name, shared, small }: { name: string; shared?: boolean; small?: boolean }): JSX.Element {
  return (
    <span class={`avatar${shared ? ' avatar-shared' : ''}${small ? ' avatar-small' : ''}`} aria-hidden="true">
      {toInitials(name)}
    </span>
  );
}

/** Takes the first characters of the first and the last word: "ML" for Maya Lindqvist, "M" for maya@example.org. */
export function toInitials(name: string): string {
  const local = name.split('@', 1)[0] ?? '';
  const words = local.split(/[\s.,;_()/-]+/u).filter((word) => /[\p{L}\p{N}]/u.test(word));
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words;
  return ends.map((word) => /[\p{L}\p{N}]/u.exec(word ?? '')?.[0]?.toLocaleUpperCase() ?? '').join('');
}
