import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** The texts of a failure, as far as the source says them; values are `…`. */
export interface CommandMessage {
  place: string;
  messages: string[];
  next: string[];
}

const folder = fileURLToPath(new URL('../../client/src/', import.meta.url));

/** Finds the next step of every failure that the command itself reports. */
export function findCommandMessages(): CommandMessage[] {
  return findInSource('command/**/*.ts', (node, read) => {
    if (ts.isNewExpression(node) && node.expression.getText() === 'CommandError')
      return { messages: read(node.arguments?.[2]), next: read(node.arguments?.[3]) };
    if (!ts.isObjectLiteralExpression(node)) return undefined;
    const next = findProperty(node, 'next');
    return next && { messages: read(findProperty(node, 'message')), next: read(next) };
  });
}

/** Finds the codes and messages of every failure that the SDK itself reports, which the command completes. */
export function findSdkMessages(): { place: string; codes: string[]; messages: string[] }[] {
  return findInSource('**/*.ts', (node, read) =>
    ts.isNewExpression(node) && node.expression.getText() === 'WaybillError'
      ? { codes: read(node.arguments?.[0]), messages: read(node.arguments?.[1]) }
      : undefined,
  );
}

/** Returns what `examine` finds at the nodes of the source, with the place of each. */
function findInSource<Found>(
  pattern: string,
  examine: (node: ts.Node, read: (part: ts.Node | undefined) => string[]) => Found | undefined,
): (Found & { place: string })[] {
  const paths = globSync(pattern, { cwd: folder }).filter((path) => !/\.test\.ts$|^testing/.test(path));
  const program = ts.createProgram(
    paths.map((path) => folder + path),
    { noEmit: true, allowImportingTsExtensions: true, module: ts.ModuleKind.NodeNext, customConditions: ['source'] },
  );
  const checker = program.getTypeChecker();
  return paths.flatMap((path) => {
    const found: (Found & { place: string })[] = [];
    const source = program.getSourceFile(folder + path);
    const visit = (node: ts.Node): void => {
      const one = examine(node, (part) => readTexts(checker, part));
      if (source && one) {
        const { line } = source.getLineAndCharacterOfPosition(node.getStart());
        found.push({ ...one, place: `${path}:${line + 1}` });
      }
      node.forEachChild(visit);
    };
    if (source) visit(source);
    return found;
  });
}

function findProperty(node: ts.ObjectLiteralExpression, name: string): ts.ObjectLiteralElementLike | undefined {
  return node.properties.find((property) => property.name?.getText() === name);
}

/** Returns the texts that an expression can have. A value is `…`, also one that only a caller knows. */
function readTexts(checker: ts.TypeChecker, node: ts.Node | undefined): string[] {
  if (node === undefined) return [];
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isTemplateExpression(node))
    return [node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('')];
  if (ts.isConditionalExpression(node))
    return [node.whenTrue, node.whenFalse].flatMap((branch) => readTexts(checker, branch));
  if (ts.isParenthesizedExpression(node) || ts.isAsExpression(node)) return readTexts(checker, node.expression);
  if (ts.isPropertyAssignment(node)) return readTexts(checker, node.initializer);
  if (ts.isShorthandPropertyAssignment(node))
    return readDeclaration(checker, checker.getShorthandAssignmentValueSymbol(node));
  if (ts.isIdentifier(node)) return readDeclaration(checker, checker.getSymbolAtLocation(node));
  return ['…'];
}

function readDeclaration(checker: ts.TypeChecker, symbol: ts.Symbol | undefined): string[] {
  const found = symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const declaration = found?.valueDeclaration;
  return declaration && ts.isVariableDeclaration(declaration) && declaration.initializer
    ? readTexts(checker, declaration.initializer)
    : ['…'];
}
