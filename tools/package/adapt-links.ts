/**
 * Adapts the links of the installed documents, in the folder that is given: an example is in another place there, and a
 * link to a file that the package lacks becomes its text.
 */
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const [folder = ''] = process.argv.slice(2);
for (const document of globSync(join(folder, '**/*.md'))) {
  const text = readFileSync(document, 'utf8').replace(
    /(!?)\[([^\]]*)\]\((?!https?:|mailto:|#)([^)\s#]+)(#[^)\s]*)?\)/g,
    (_link, image: string, words: string, target: string, anchor = '') => {
      const place = target.replace(/^\.\.\/deploy\//, 'examples/');
      return existsSync(join(dirname(document), place)) ? `${image}[${words}](${place}${anchor})` : words;
    },
  );
  writeFileSync(document, text);
}
