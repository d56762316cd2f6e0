import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface PythonExample {
  /** The heading of the section, and the number of the example in it if there are several. */
  readonly title: string;
  readonly code: string;
}

/** Returns the examples of docs/python.md. */
export function readPythonExamples(): PythonExample[] {
  const text = readFileSync(fileURLToPath(new URL('../../docs/python.md', import.meta.url)), 'utf8');
  return text
    .split(/^## /m)
    .slice(1)
    .flatMap((section) => {
      const [heading = ''] = section.split('\n');
      return [...section.matchAll(/^```python\n(.*?)^```$/gms)].map(([, code = ''], index) => ({
        title: index === 0 ? heading : `${heading} ${index + 1}`,
        code,
      }));
    });
}
