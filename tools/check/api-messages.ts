import { globSync } from 'node:fs';
import ts from 'typescript';
import { findBelow, findProperty, openSource, readTexts, repository, resolve } from './source-texts.ts';

/** An error that a caller of the APIs can get, as far as the source says it; values are `…`. */
export interface ApiMessage {
  readonly place: string;
  readonly codes: readonly string[];
  /** None: the message of the code. */
  readonly messages: readonly string[];
  /** The next step that only /api/v1 adds. */
  readonly advice: readonly string[];
}

const folder = `${repository}server/src/`;
const findFiles = (pattern: string) =>
  globSync(pattern, { cwd: folder })
    .filter((path) => !path.endsWith('.test.ts'))
    .map((path) => folder + path);

/**
 * Finds the errors of all statements that the APIs can reach: the files of the surfaces, and whatever of the domain these name,
 * directly or through others. What engines throw reaches every caller; what only pages and commands of the server call does not.
 */
export function findApiMessages(): ApiMessage[] {
  const surfaces = [...findFiles('{api,http}/**/*.ts'), `${folder}services/build-server.ts`];
  const engines = findFiles('engines/**/*.ts').filter((path) => !path.includes('backup'));
  const program = openSource([...surfaces, ...engines]);
  const checker = program.getTypeChecker();
  const toStatements = (path: string) => [...(program.getSourceFile(path)?.statements ?? [])];
  const reached = reach(checker, surfaces.flatMap(toStatements));
  return [...reached, ...engines.flatMap(toStatements)]
    .flatMap((statement) => findBelow(statement, folder, (node) => readError(checker, node)))
    .toSorted((one, other) => one.place.localeCompare(other.place, 'en', { numeric: true }));
}

function reach(checker: ts.TypeChecker, from: readonly ts.Node[]): Set<ts.Node> {
  const reached = new Set<ts.Node>(from);
  for (const statement of reached) {
    const visit = (node: ts.Node): void => {
      if (ts.isTypeNode(node) || ts.isImportDeclaration(node)) return;
      // The name behind a dot belongs to something that was reached already, and to resolve it takes the checker long.
      const isMember = ts.isPropertyAccessExpression(node.parent) && node.parent.name === node;
      if (ts.isIdentifier(node) && !isMember)
        for (const declaration of resolve(checker, node)?.declarations ?? [])
          if (declaration.getSourceFile().fileName.startsWith(`${folder}domain/`))
            reached.add(toStatement(declaration));
      node.forEachChild(visit);
    };
    visit(statement);
  }
  return reached;
}

function toStatement(node: ts.Node): ts.Node {
  return ts.isSourceFile(node.parent) ? node : toStatement(node.parent);
}

function readError(checker: ts.TypeChecker, node: ts.Node): Omit<ApiMessage, 'place'> | undefined {
  const read = (part: ts.Node | undefined) => readTexts(checker, part);
  if (ts.isNewExpression(node)) {
    const [first, second, options] = node.arguments ?? [];
    if (node.expression.getText() === 'InvalidParts')
      return { codes: ['invalid_input'], messages: read(second), advice: [] };
    if (node.expression.getText() === 'ConcurrencyLimiter' && first && ts.isObjectLiteralExpression(first))
      return { codes: ['unavailable'], messages: read(findProperty(first, 'message')), advice: [] };
    if (node.expression.getText() !== 'ExchangeError') return undefined;
    const advice = options && ts.isObjectLiteralExpression(options) ? findProperty(options, 'advice') : undefined;
    return { codes: read(first), messages: read(second), advice: read(advice) };
  }
  if (!ts.isCallExpression(node)) return undefined;
  const [, second, third] = node.arguments;
  const name = node.expression.getText();
  if (name === 'invalidField') return { codes: ['invalid_input'], messages: read(second), advice: [] };
  if (name === 'faults.add') return { codes: read(second), messages: read(third), advice: [] };
  return undefined;
}
