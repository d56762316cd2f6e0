import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { renderSdkDocument } from './sdk-docs.ts';
import { SdkReference } from './sdk-reference.ts';

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sdk-reference-'));
});

afterAll(() => rmSync(folder, { recursive: true }));

function renderReference(source: string, names: string): string {
  const entry = join(folder, 'index.ts');
  writeFileSync(entry, source);
  return new SdkReference(entry, { All: names }, 'Post').markdown();
}

test('docs/sdk.md is what the types say', () => {
  const written = readFileSync(new URL('../../docs/sdk.md', import.meta.url), 'utf8');
  expect(written, 'run npm run generate').toBe(renderSdkDocument());
});

test('a method has its signature, parameters and result, with links to what they name', () => {
  const source = `
    /** A letter. */ export interface Letter {
      /** To whom. */ to: string;
      /** How heavy. */ grams?: number | undefined;
    }
    /** A box of letters. */ export class Box {
      /** Finds letters. @param to Who gets them. */ find(to: string): Promise<Letter[]> { throw to }
    }
    /** The office. */ export class Post {
      /** The files that arrived. */ readonly box = new Box();
    }`;
  expect(renderReference(source, 'Post Box Letter')).toMatchInlineSnapshot(`
    "| Group | Names |
    | --- | --- |
    | [All](#all) | [\`Post\`](#post), [\`Box\`](#box), [\`Letter\`](#letter) |

    ## All

    ### Post

    The office.

    | Field | Type | |
    | --- | --- | --- |
    | \`box\` | [\`Box\`](#box) | The files that arrived. |

    ### Box

    A box of letters.

    Methods: [\`find\`](#postboxfindto)

    #### post.box.find(to)

    \`\`\`ts
    find(to: string): Promise<Letter[]>
    \`\`\`

    Finds letters.

    - \`to\`: \`string\`. Who gets them.
    - Returns [\`Letter\`](#letter)\`[]\`

    ### Letter

    A letter.

    | Field | Type | |
    | --- | --- | --- |
    | \`to\` | \`string\` | To whom. |
    | \`grams?\` | \`number\` | How heavy. |
    "
  `);
});

test('what a caller may use and is not described is a fault', () => {
  const source = `
    export interface Letter { to: string }
    /** A box of letters. */ export class Box {
      find(to: string): Promise<Letter> { throw to }
      /** Counts. */ count(): number { return 0 }
      /** @internal */ hidden(): void {}
      #own = 0;
    }
    /** How. */ export type Way = /** By air. */ 'air' | 'sea';
    /** Not grouped. */ export type Size = 'large';`;
  expect(() => renderReference(source, 'Box Letter Way Stamp')).toThrow(
    [
      'The SDK is not fully documented:',
      'Size is in no group',
      'Box.find: @param to has no doc comment',
      'Box.find has no doc comment',
      'Box.count: @returns has no doc comment',
      'Letter has no doc comment',
      'Letter.to has no doc comment',
      "Way: 'sea' has no doc comment",
      'Stamp is not exported',
    ].join('\n'),
  );
});
