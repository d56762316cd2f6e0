import ts from 'typescript';

export interface Declared {
  readonly name: string;
  readonly line: number;
}

/** Lists the names that a source file declares, and the texts in it: literals that contain a space. */
export function readSource(path: string, source: string): { names: Declared[]; texts: Declared[] } {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const names: Declared[] = [];
  const texts: Declared[] = [];
  const findLine = (node: ts.Node) => file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
  const visit = (node: ts.Node): void => {
    const name = findDeclaredName(node);
    if (name !== undefined) names.push({ name: name.text, line: findLine(name) });
    if (isText(node) && node.text.includes(' ')) texts.push({ name: node.text, line: findLine(node) });
    ts.forEachChild(node, visit);
  };
  visit(file);
  return { names, texts };
}

function findDeclaredName(node: ts.Node) {
  // An import declares what its module has declared already.
  if (ts.isPropertyAccessExpression(node) || ts.isImportSpecifier(node) || !('name' in node)) return undefined;
  const name = node.name as ts.Node | undefined;
  return name && (ts.isIdentifier(name) || ts.isPrivateIdentifier(name) || ts.isStringLiteral(name)) ? name : undefined;
}

function isText(node: ts.Node): node is ts.LiteralLikeNode {
  return ts.isStringLiteral(node) || ts.isTemplateLiteralToken(node) || ts.isJsxText(node);
}
