import { globSync } from 'node:fs';
import ts from 'typescript';
import { findBelow, findProperty, openSource, readTexts, repository } from './source-texts.ts';

/** The texts of a failure, as far as the source says them; values are `…`. */
export interface CommandMessage {
  place: string;
  messages: string[];
  next: string[];
}

const folder = `${repository}client/src/`;

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
  const program = openSource(paths.map((path) => folder + path));
  const checker = program.getTypeChecker();
  return paths.flatMap((path) => {
    const source = program.getSourceFile(folder + path);
    return source ? findBelow(source, folder, (node) => examine(node, (part) => readTexts(checker, part))) : [];
  });
}
