/**
 * A response, however the request was sent. Header names are in lower case; `headerLines` keeps every line as received.
 */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  headerLines: [name: string, value: string][];
  body: Buffer;
  /** Bytes after the end of this response on the same connection: empty unless something was smuggled or pipelined. */
  rest: Buffer;
}

export function header(answer: Answer, name: string): string | undefined {
  return answer.headers[name.toLowerCase()];
}

export function text(answer: Answer): string {
  return answer.body.toString('utf8');
}

/** The body as JSON; the caller names the shape that it then asserts. */
export function json<T = unknown>(answer: Answer): T {
  return JSON.parse(text(answer)) as T;
}

export function foldHeaders(lines: [string, string][]): Record<string, string> {
  const folded: Record<string, string> = {};
  for (const [name, value] of lines) {
    const key = name.toLowerCase();
    folded[key] = folded[key] === undefined ? value : `${folded[key]}, ${value}`;
  }
  return folded;
}
