/**
 * The kinds of tests, by what they need: `unit` nothing, `postgres` any PostgreSQL, and `engines` all engines and other
 * programs that tools/setup installs.
 */
export const testKinds = ['unit', 'postgres', 'engines'] as const;
export type TestKind = (typeof testKinds)[number];

/**
 * Declares the kind of every test that imports the calling file. tools/test/kinds.ts reads this call in the source; the
 * call itself fails a test that runs as a lesser kind because that reading missed the import.
 */
export function requireKind(needed: Exclude<TestKind, 'unit'>): void {
  const current = process.env['WAYBILL_TEST_KIND'];
  // Not set outside the tests.
  if (current === undefined || testKinds.indexOf(current as TestKind) >= testKinds.indexOf(needed)) return;
  throw new Error(
    `This test uses something that only tests of the kind "${needed}" have, but it runs as "${current}". ` +
      'Import the file that needs it with a plain import statement, so that tools/test/kinds.ts finds it.',
  );
}
