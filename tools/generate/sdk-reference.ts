import { dirname } from 'node:path';
import ts from 'typescript';

interface Parameter {
  name: string;
  type: string;
  about: string;
}

const typeFormat: ts.TypeFormatFlags =
  ts.TypeFormatFlags.NoTruncation |
  ts.TypeFormatFlags.UseSingleQuotesForStringLiteralType |
  ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope;
const codeWidth = 120;

/** The exports of a module as Markdown: what the compiler knows of them, and their doc comments. */
export class SdkReference {
  readonly #checker: ts.TypeChecker;
  readonly #groups: (readonly [title: string, names: string[]])[];
  readonly #exports: Map<string, ts.Symbol>;
  /** How a program gets at an instance of a class, such as `waybill.drops`. */
  readonly #instances = new Map<string, string>();
  readonly #faults: string[] = [];

  /** The names of each group have spaces between them. `main` is the class whose instances have those of the others. */
  constructor(entry: string, groups: Record<string, string>, main: string) {
    const program = ts.createProgram([entry], compilerOptions(entry));
    this.#checker = program.getTypeChecker();
    this.#groups = Object.entries(groups).map(([title, names]) => [title, names.split(/\s+/)]);
    const file = program.getSourceFile(entry);
    const module = file && this.#checker.getSymbolAtLocation(file);
    if (!module) throw new Error(`${entry} is not a module`);
    this.#exports = new Map(
      this.#checker
        .getExportsOfModule(module)
        .map((symbol) => [
          symbol.name,
          symbol.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(symbol) : symbol,
        ]),
    );
    const mainClass = this.#exports.get(main);
    if (!mainClass) return;
    this.#instances.set(main, main.toLowerCase());
    for (const member of this.#members(this.#checker.getDeclaredTypeOfSymbol(mainClass))) {
      this.#instances.set(this.#typeText(member), `${main.toLowerCase()}.${member.name}`);
    }
  }

  /** Throws if anything is not documented. */
  markdown(): string {
    const grouped = new Set(this.#groups.flatMap(([, names]) => names));
    for (const name of this.#exports.keys()) if (!grouped.has(name)) this.#faults.push(`${name} is in no group`);
    const contents = this.#groups.map(
      ([title, names]) => `| [${title}](#${slug(title)}) | ${names.map((name) => link(name)).join(', ')} |\n`,
    );
    const sections = this.#groups.map(([title, names]) =>
      [`## ${title}\n`, ...names.map((name) => this.#section(name))].join('\n'),
    );
    const text = `| Group | Names |\n| --- | --- |\n${contents.join('')}\n${sections.join('\n')}`;
    const anchors = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => slug(heading));
    const ambiguous = anchors.filter((anchor, index) => anchors.indexOf(anchor) !== index);
    this.#faults.push(...ambiguous.map((anchor) => `two headings have the anchor #${anchor}`));
    if (this.#faults.length > 0) throw new Error(`The SDK is not fully documented:\n${this.#faults.join('\n')}`);
    return text;
  }

  #section(name: string): string {
    const symbol = this.#exports.get(name);
    if (!symbol) {
      this.#faults.push(`${name} is not exported`);
      return '';
    }
    const heading = `### ${name}\n`;
    if (symbol.flags & ts.SymbolFlags.Function) {
      const [signature] = this.#checker.getTypeOfSymbol(symbol).getCallSignatures();
      return `${heading}\n${signature ? this.#callable(name, symbol, signature, name) : ''}`;
    }
    const about = `${heading}\n${this.#prose(symbol, name)}\n`;
    if (symbol.flags & ts.SymbolFlags.Class) return about + this.#class(name, symbol);
    const type = this.#checker.getDeclaredTypeOfSymbol(symbol);
    return `${about}\n${type.isUnion() ? this.#union(name, symbol, type) : this.#fields(name, this.#members(type))}`;
  }

  #class(name: string, symbol: ts.Symbol): string {
    const instance = this.#instances.get(name) ?? name;
    const members = this.#members(this.#checker.getDeclaredTypeOfSymbol(symbol));
    const properties = members.filter((member) => !(member.flags & ts.SymbolFlags.Method));
    const constructed = [...(symbol.members?.values() ?? [])].find(({ flags }) => flags & ts.SymbolFlags.Constructor);
    const [signature] = this.#checker.getTypeOfSymbol(symbol).getConstructSignatures();
    const parts: string[] = [];
    if (constructed && signature && !isInternal(constructed)) {
      parts.push(this.#callable(`new ${name}`, constructed, signature, `new ${name}`));
    }
    if (properties.length > 0) parts.push(this.#fields(name, properties));
    const methods = members.flatMap((member) => {
      const [call] = this.#checker.getTypeOfSymbol(member).getCallSignatures();
      if (!(member.flags & ts.SymbolFlags.Method) || !call) return [];
      const path = `${name}.${member.name}`;
      const names = this.#parameters(call, path).map((parameter) => parameter.name);
      const title = `${instance}.${member.name}(${names.join(', ')})`;
      return [{ name: member.name, title, text: this.#callable(member.name, member, call, path) }];
    });
    const links = methods.map((method) => `[\`${method.name}\`](#${slug(method.title)})`);
    if (links.length > 0) parts.push(`Methods: ${links.join(', ')}\n`);
    parts.push(...methods.map(({ title, text }) => `#### ${title}\n\n${text}`));
    return parts.map((part) => `\n${part}`).join('');
  }

  /** A function, method or constructor: its signature, what it does, takes and returns. */
  #callable(shown: string, symbol: ts.Symbol, signature: ts.Signature, path: string): string {
    const parameters = this.#parameters(signature, path);
    const lines = parameters.map((parameter) => {
      const about =
        parameter.about || (this.#hasLink(parameter.type) ? '' : this.#missing(`${path}: @param ${parameter.name}`));
      return `- \`${parameter.name}\`: ${this.#linked(parameter.type)}${about && `. ${about}`}\n`;
    });
    const isConstructor = shown.startsWith('new ');
    const result = this.#resultText(signature);
    if (!isConstructor && result.shown !== '') {
      const about = tagText(symbol, this.#checker, 'returns');
      if (!about && !this.#hasLink(result.shown)) this.#missing(`${path}: @returns`);
      lines.push(`- ${result.verb} ${this.#linked(result.shown)}${about && `. ${about}`}\n`);
    }
    const generics = signature.typeParameters?.map((parameter) => this.#genericText(parameter)).join(', ');
    const code = this.#code(
      `${shown}${generics && !isConstructor ? `<${generics}>` : ''}`,
      parameters,
      isConstructor ? '' : `: ${result.whole}`,
    );
    const example = tagText(symbol, this.#checker, 'example');
    return [
      `\`\`\`ts\n${code}\n\`\`\`\n`,
      `${this.#prose(symbol, path)}\n`,
      ...(lines.length > 0 ? [lines.join('')] : []),
      ...(example ? [`\`\`\`ts\n${example}\n\`\`\`\n`] : []),
    ].join('\n');
  }

  #code(start: string, parameters: Parameter[], end: string): string {
    const texts = parameters.map(({ name, type }) => `${name}: ${type}`);
    const line = `${start}(${texts.join(', ')})${end}`;
    return line.length <= codeWidth ? line : `${start}(\n${texts.map((text) => `  ${text},\n`).join('')})${end}`;
  }

  #parameters(signature: ts.Signature, path: string): Parameter[] {
    return signature.parameters.map((parameter) => {
      const declaration = parameter.valueDeclaration as ts.ParameterDeclaration;
      const [tag] = ts.getJSDocParameterTags(declaration);
      const isPattern = !ts.isIdentifier(declaration.name);
      // The compiler finds the tag of a parameter that is taken apart by its position.
      const name = isPattern ? (tag?.name.getText() ?? 'options') : parameter.name;
      if (isPattern && !tag && !declaration.initializer)
        this.#missing(`${path}: @param for ${declaration.name.getText()}`);
      const isOptional = this.#checker.isOptionalParameter(declaration);
      const type = this.#checker.getTypeOfSymbolAtLocation(parameter, declaration);
      const text = this.#text(type);
      return {
        name: `${declaration.dotDotDotToken ? '...' : ''}${name}${isOptional ? '?' : ''}`,
        type: isOptional ? withoutUndefined(text) : text,
        about: oneLine(ts.getTextOfJSDocComment(tag?.comment) ?? ''),
      };
    });
  }

  #genericText(parameter: ts.TypeParameter): string {
    const constraint = parameter.getConstraint();
    const name = this.#checker.typeToString(parameter);
    return constraint ? `${name} extends ${this.#text(constraint)}` : name;
  }

  /** `shown` is what the caller gets, once awaited; empty if that is nothing. */
  #resultText(signature: ts.Signature): { whole: string; shown: string; verb: string } {
    const type = signature.getReturnType();
    const predicate = this.#checker.getTypePredicateOfSignature(signature);
    const whole = this.#text(type);
    if (predicate?.type) {
      const narrowed = this.#text(predicate.type);
      return { whole: `${predicate.parameterName} is ${narrowed}`, shown: whole, verb: 'Returns' };
    }
    const [, container, inner] = /^(Promise|AsyncGenerator)<(.*?)(?:, (?:void|never), void)?>$/.exec(whole) ?? [];
    const shown = inner ?? whole;
    return {
      whole: container === 'AsyncGenerator' ? `AsyncGenerator<${shown}>` : whole,
      shown: shown === 'void' ? '' : shown,
      verb: container === 'AsyncGenerator' ? 'Iterates over' : 'Returns',
    };
  }

  #fields(path: string, members: ts.Symbol[]): string {
    const rows = members.flatMap((member) => this.#rows(member, '', path));
    return `| Field | Type | |\n| --- | --- | --- |\n${rows.join('')}`;
  }

  /** With a row for each field of an object that has no name of its own: `key.id`, `contacts[].email`. */
  #rows(member: ts.Symbol, prefix: string, path: string): string[] {
    const isOptional = Boolean(member.flags & ts.SymbolFlags.Optional);
    const name = `${prefix}${member.name}${isOptional ? '?' : ''}`;
    const text = this.#typeText(member);
    const type = this.#checker.getNonNullableType(this.#checker.getTypeOfSymbol(member));
    const element = this.#checker.getIndexTypeOfType(type, ts.IndexKind.Number);
    const nested = isNameless(type) ? type : element && isNameless(element) ? element : undefined;
    const about = this.#about(member, `${path}.${member.name}`);
    if (!nested) return [row([`\`${name}\``, this.#linked(text), about])];
    const isList = nested === element;
    const inner = this.#members(nested).flatMap((field) =>
      this.#rows(field, `${prefix}${member.name}${isList ? '[]' : ''}.`, `${path}.${member.name}`),
    );
    return [row([`\`${name}\``, isList ? '`object[]`' : '`object`', about]), ...inner];
  }

  #union(path: string, symbol: ts.Symbol, type: ts.UnionType): string {
    const written = alternatives(symbol);
    if (written.every(({ text, about }) => about === '' && !text.startsWith('{'))) {
      return `One of ${written.map(({ text }) => this.#linked(text)).join(', ')}.\n`;
    }
    const byType = type.types.map((member) => [member.getProperty('type'), member.getProperty('data')] as const);
    if (byType.every(([discriminant, data]) => discriminant && data)) {
      const rows = byType.map(([discriminant, data]) =>
        row([
          `\`${this.#typeText(discriminant as ts.Symbol).replaceAll("'", '')}\``,
          this.#members(this.#checker.getTypeOfSymbol(data as ts.Symbol))
            .map(({ name, flags }) => `\`${name}${flags & ts.SymbolFlags.Optional ? '?' : ''}\``)
            .join(', '),
        ]),
      );
      return `| \`type\` | Fields of \`data\` |\n| --- | --- |\n${rows.join('')}`;
    }
    const rows = written.map(({ text, about }) =>
      row([this.#linked(text), about || this.#missing(`${path}: ${text}`)]),
    );
    return `| One of | |\n| --- | --- |\n${rows.join('')}`;
  }

  /** Those that a program may use: of the package itself, and not internal. */
  #members(type: ts.Type): ts.Symbol[] {
    return this.#checker.getPropertiesOfType(type).filter((member) => {
      const [declaration] = member.declarations ?? [];
      if (!declaration || declaration.getSourceFile().fileName.includes('/node_modules/')) return false;
      const name = ts.getNameOfDeclaration(declaration);
      return !(name && ts.isPrivateIdentifier(name)) && !isInternal(member);
    });
  }

  #typeText(member: ts.Symbol): string {
    const text = this.#text(this.#checker.getTypeOfSymbol(member));
    return member.flags & ts.SymbolFlags.Optional ? withoutUndefined(text) : text;
  }

  #text(type: ts.Type): string {
    return this.#checker.typeToString(type, undefined, typeFormat).replaceAll('<ArrayBufferLike>', '');
  }

  #about(symbol: ts.Symbol, path: string): string {
    return oneLine(this.#prose(symbol, path));
  }

  #prose(symbol: ts.Symbol, path: string): string {
    const text = ts.displayPartsToString(symbol.getDocumentationComment(this.#checker));
    return text.split('\n\n').map(oneLine).join('\n\n') || this.#missing(path);
  }

  #missing(what: string): string {
    this.#faults.push(`${what} has no doc comment`);
    return '';
  }

  #hasLink(type: string): boolean {
    return (type.match(/\w+/g) ?? []).some((name) => this.#exports.has(name));
  }

  /** A type as code, in which the names of other exports lead to them. */
  #linked(type: string): string {
    return type
      .split(/(\b[A-Z]\w*\b)(?!')/)
      .map((part) => (this.#exports.has(part) ? link(part) : part && `\`${part}\``))
      .join('')
      .replaceAll('``', '');
  }
}

function compilerOptions(entry: string): ts.CompilerOptions {
  const path = ts.findConfigFile(dirname(entry), (name) => ts.sys.fileExists(name));
  if (path === undefined) return { strict: true, lib: ['lib.es2024.d.ts'], types: [] };
  const { config } = ts.readConfigFile(path, (name) => ts.sys.readFile(name)) as { config: unknown };
  return ts.parseJsonConfigFileContent(config, ts.sys, dirname(path)).options;
}

function isInternal(symbol: ts.Symbol): boolean {
  return symbol.getJsDocTags().some(({ name }) => name === 'internal');
}

function tagText(symbol: ts.Symbol, checker: ts.TypeChecker, name: string): string {
  return ts.displayPartsToString(symbol.getJsDocTags(checker).find((tag) => tag.name === name)?.text);
}

function isNameless(type: ts.Type): boolean {
  return !type.aliasSymbol && type.symbol?.name === '__type' && type.getCallSignatures().length === 0;
}

/** The alternatives of a union as they are written, each with the comment before it. */
function alternatives(symbol: ts.Symbol): { text: string; about: string }[] {
  const declaration = symbol.declarations?.find(ts.isTypeAliasDeclaration);
  if (!declaration || !ts.isUnionTypeNode(declaration.type)) return [];
  const source = declaration.getSourceFile().text;
  let end = declaration.type.getFullStart();
  return declaration.type.types.map((node) => {
    const [, comment = ''] = /\/\*\*(.*?)\*\//s.exec(source.slice(end, node.getStart())) ?? [];
    end = node.getEnd();
    return { text: oneLine(node.getText()), about: oneLine(comment.replace(/^\s*\*/gm, '')) };
  });
}

function withoutUndefined(type: string): string {
  return type.replace(/ \| undefined$/, '').replace(/^\((\(.*\) => [^()]*)\)$/, '$1');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function row(cells: string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
}

function link(name: string): string {
  return `[\`${name}\`](#${slug(name)})`;
}

/** The anchor that a heading gets when the document is shown. */
function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}
