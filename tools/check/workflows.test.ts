import { readdirSync, readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

// The parser is made for bundlers: it imports JSON without the attribute that Node requires.
registerHooks({
  load: (url, context, next) =>
    next(url, url.endsWith('.json') ? { ...context, importAttributes: { type: 'json' } } : context),
});
const { convertWorkflowTemplate, NoOperationTraceWriter, parseWorkflow } = await import('@actions/workflow-parser');

const folder = fileURLToPath(new URL('../../.github/workflows/', import.meta.url));

/** The problems that GitHub's own parser finds in a workflow. */
async function findProblems(name: string, content: string): Promise<string[]> {
  const { context, value } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  if (value) await convertWorkflowTemplate(context, value);
  return context.errors.getErrors().map(({ message }) => message);
}

test.each(readdirSync(folder))('GitHub can run %s', async (name) => {
  expect(await findProblems(name, readFileSync(folder + name, 'utf8'))).toEqual([]);
});

test('the parser finds problems', async () => {
  const job = (steps: string) => `on: push\njobs:\n  quick:\n    runs-on: ubuntu-latest\n    steps:\n${steps}`;
  expect(await findProblems('right.yml', job('      - run: npm test\n'))).toEqual([]);
  expect(await findProblems('misspelt.yml', job('      - runs: npm test\n'))).not.toEqual([]);
  expect(await findProblems('expression.yml', job('      - run: echo ${{ github.ref\n'))).not.toEqual([]);
});
