/** The parts of an OpenAPI document that the reference shows. */
export interface Document {
  readonly info: { readonly title: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
  readonly webhooks?: Document['paths'];
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly const?: string | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxProperties?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description?: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

export type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Pick<Parameter, 'description' | 'schema'>>>;
  readonly content?: Content;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
}

interface Exampled {
  readonly schema: Schema;
  readonly example: unknown;
}

/** Finds the examples of bodies and responses, with their schemas; those of responses first, which are complete. */
export function findExamples(document: Document): Exampled[] {
  const operations = [document.paths, document.webhooks ?? {}].flatMap((paths) => Object.values(paths));
  const contents = operations
    .flatMap((item) => Object.values(item) as Partial<Operation>[])
    .flatMap(({ responses = {}, requestBody }) => [...Object.values(responses), ...(requestBody ? [requestBody] : [])]);
  return contents
    .flatMap(({ content = {} }) => Object.values(content))
    .filter((media): media is Exampled => typeof media.example === 'object');
}

/** Replaces a reference to a component by the component. */
export function resolve<Value extends object>(document: Document, value: Value): Value {
  const { $ref } = value as { $ref?: string };
  if ($ref === undefined) return value;
  const [, , kind = '', name = ''] = $ref.split('/');
  return document.components[kind]?.[name] as Value;
}

/** The name of the component that a schema refers to. */
export function getReferredName({ $ref }: Schema): string | undefined {
  return $ref?.split('/').at(-1);
}

/** Finds an operation, with its parameters, headers and responses resolved. */
export function findOperation(document: Document, path: string, method: string): Operation {
  const item = document.paths[path];
  const operation = item?.[method.toLowerCase()] as Operation | undefined;
  if (!operation) throw new Error(`${method} ${path} is not described`);
  const shared = (item as { parameters?: readonly Parameter[] }).parameters ?? [];
  const resolveResponse = (response: Response): Response => {
    const { headers = {}, ...rest } = resolve(document, response);
    return {
      ...rest,
      headers: Object.fromEntries(Object.entries(headers).map(([name, header]) => [name, resolve(document, header)])),
    };
  };
  return {
    ...operation,
    parameters: [...shared, ...operation.parameters.map((parameter) => resolve(document, parameter))],
    responses: Object.fromEntries(
      Object.entries(operation.responses).map(([status, response]) => [status, resolveResponse(response)]),
    ),
  };
}
