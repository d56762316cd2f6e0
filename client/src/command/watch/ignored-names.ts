/** Names that programs give to files that are not complete yet, or that are no files of a person. */
export const ignoredPatterns: readonly string[] = [
  '.*',
  '~$*',
  '*~',
  '*.part',
  '*.partial',
  '*.filepart',
  '*.crdownload',
  '*.download',
  '*.tmp',
  '*.temp',
  '*.swp',
  'desktop.ini',
  'thumbs.db',
];

/** Returns a test of names against patterns with `*` and `?`, whatever their case. */
export function matchNames(patterns: readonly string[]): (name: string) => boolean {
  const alternatives = patterns.map((pattern) =>
    pattern
      .replace(/[.+^$(){}|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.'),
  );
  const anyOfThem = new RegExp(`^(?:${alternatives.join('|')})$`, 'isu');
  return (name) => anyOfThem.test(name);
}
