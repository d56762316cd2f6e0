/**
 * A response, however the request was sent. Header names are in lower case; `headerLines` keeps every line as received.
 */
export interface HttpResponse {
  status: number;
  headers: Record<string, string>;
  headerLines: [name: string, value: string][];
  body: Buffer;
  /** Bytes after the end of this response on the same connection: empty unless something was smuggled or pipelined. */
  rest: Buffer;
}

export function header(response: HttpResponse, name: string): string | undefined {
  return response.headers[name.toLowerCase()];
}

export function text(response: HttpResponse): string {
  return response.body.toString('utf8');
}

/** The body as JSON; the caller names the shape that it then asserts. */
export function json<T = unknown>(response: HttpResponse): T {
  return JSON.parse(text(response)) as T;
}

export function foldHeaders(lines: [string, string][]): Record<string, string> {
  const folded: Record<string, string> = {};
  for (const [name, value] of lines) {
    const key = name.toLowerCase();
    folded[key] = folded[key] === undefined ? value : `${folded[key]}, ${value}`;
  }
  return folded;
}
