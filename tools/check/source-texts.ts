import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/** Reads the type of nothing: only which declaration a name means. */
export function openSource(paths: readonly string[]): ts.Program {
  return ts.createProgram([...paths], {
    noEmit: true,
    allowImportingTsExtensions: true,
    module: ts.ModuleKind.NodeNext,
    customConditions: ['source'],
  });
}

export const repository = fileURLToPath(new URL('../../', import.meta.url));

/** Returns what `examine` finds at a node and below it, with the place of each in its file. */
export function findBelow<Found>(
  root: ts.Node,
  folder: string,
  examine: (node: ts.Node) => Found | undefined,
): (Found & { place: string })[] {
  const source = root.getSourceFile();
  const found: (Found & { place: string })[] = [];
  const visit = (node: ts.Node): void => {
    const one = examine(node);
    if (one) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      found.push({ ...one, place: `${source.fileName.slice(folder.length)}:${line + 1}` });
    }
    node.forEachChild(visit);
  };
  visit(root);
  return found;
}

export function findProperty(node: ts.ObjectLiteralExpression, name: string): ts.ObjectLiteralElementLike | undefined {
  return node.properties.find((property) => property.name?.getText() === name);
}

/** Returns what a name means, where it is declared. */
export function resolve(checker: ts.TypeChecker, name: ts.Identifier): ts.Symbol | undefined {
  const symbol = checker.getSymbolAtLocation(name);
  return symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

/** Returns the texts that an expression can have. A value is `…`, also one that only a caller knows. */
export function readTexts(checker: ts.TypeChecker, node: ts.Node | undefined): string[] {
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
  if (ts.isIdentifier(node)) return readDeclaration(checker, resolve(checker, node));
  if (ts.isCallExpression(node) && ts.isIdentifier(node.expression))
    return readReturns(checker, resolve(checker, node.expression));
  return ['…'];
}

function readDeclaration(checker: ts.TypeChecker, symbol: ts.Symbol | undefined): string[] {
  if (symbol?.name === 'undefined') return [];
  const declaration = symbol?.valueDeclaration;
  return declaration && ts.isVariableDeclaration(declaration) && declaration.initializer
    ? readTexts(checker, declaration.initializer)
    : ['…'];
}

/** The texts that a function returns; where it returns none, it throws or its caller looks. */
function readReturns(checker: ts.TypeChecker, symbol: ts.Symbol | undefined): string[] {
  const declared = symbol?.valueDeclaration;
  const made = declared && ts.isVariableDeclaration(declared) ? declared.initializer : declared;
  if (!made || !(ts.isFunctionDeclaration(made) || ts.isArrowFunction(made)) || !made.body) return ['…'];
  if (!ts.isBlock(made.body)) return readTexts(checker, made.body);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) return;
    if (ts.isReturnStatement(node)) found.push(...readTexts(checker, node.expression));
    else node.forEachChild(visit);
  };
  made.body.forEachChild(visit);
  return found;
}
