/** Names of routes, operations, states and codes; statements without their parameters. Never what a person entered. */
export type Attributes = Readonly<Record<string, string | number>>;

/** The steps of this process for one request, job or sweep. */
export interface Trace {
  within<Result>(work: () => Result): Result;
  /** `failure` is a code or the name of an error, never its message. */
  end(outcome: Attributes, failure?: string): void;
}

export interface Tracing {
  /** Begins a trace, or continues the one that a W3C `traceparent` names. */
  begin(name: string, kind: 'server' | 'consumer' | 'internal', attributes: Attributes, traceparent?: string): Trace;
  /** A step of the trace that the caller is in; without one, just the call. */
  step<Result>(name: string, attributes: Attributes, call: () => Result): Result;
  /** Names the trace that the caller is in, for another process to continue. */
  traceparent(): string | undefined;
  /** Added to each line of the log. */
  readonly logFields: () => Record<string, string>;
  stop(): Promise<void>;
}

const nowhere: Trace = { within: (work) => work(), end: () => undefined };

export const noTracing: Tracing = {
  begin: () => nowhere,
  step: (_name, _attributes, call) => call(),
  traceparent: () => undefined,
  logFields: () => ({}),
  stop: async () => undefined,
};

/** The libraries are loaded only if traces are wanted. */
export async function startTracing(options: {
  readonly url: string | undefined;
  readonly ratio: number;
  readonly role: string;
  readonly version: string;
}): Promise<Tracing> {
  const { url } = options;
  if (url === undefined) return noTracing;
  const { otlpTracing } = await import('./otlp.ts');
  return otlpTracing({ ...options, url });
}
