import type { DetailedError, HttpRequest, HttpResponse, UploadOptions } from 'tus-js-client';

/** The server stores whole chunks of this size: an interruption costs one at most. */
const chunkBytes = 8 * 1024 * 1024;
/** 4xx statuses that are temporary: signed out, too slow, out of step, locked by an earlier attempt, too often. */
const passing = new Set([401, 408, 409, 423, 429]);
/** The code of a request whose CSRF token has been replaced. */
const formExpired = 'form_expired';
/** The account to which the files go has no room for this one: asking again every few seconds would not help. */
const storageFull = 507;
/** Statuses that say that the server does not know an upload. */
const unknownUpload = new Set([404, 410]);

/**
 * Handles the responses to an upload. Retries a few times within seconds; the queue retries without end. Calls `heard`
 * at once for every response, and for every request without one.
 */
export function tusRetryPolicy(isOnline: () => boolean, heard: (reachable: boolean) => void): UploadOptions {
  return {
    chunkSize: chunkBytes,
    retryDelays: [500, 1000, 2000, 4000].map((delay) => delay * (0.75 + Math.random() / 2)),
    onShouldRetry(error) {
      if (isWithoutResponse(error)) heard(false);
      return isTemporary(error) && isOnline();
    },
    onAfterResponse(request, response) {
      heard(true);
      refuseMisleading(request, response);
    },
  };
}

/** Whether a request was sent and got no response. */
export function isWithoutResponse(error: Error | DetailedError): boolean {
  return 'originalRequest' in error && !error.originalResponse && !(error.causingError instanceof MisleadingResponse);
}

/** Whether it is a temporary problem of the network or the server, and not about the file itself. */
export function isTemporary(error: Error | DetailedError): boolean {
  // An error without a request happened in this browser, such as a file that can no longer be read.
  if (!('originalRequest' in error)) return false;
  const status = findStatus(error);
  if (status === storageFull) return false;
  if (status === undefined || status < 400 || status >= 500 || passing.has(status)) return true;
  return findRefusal(error) === formExpired;
}

/** Returns the code with which the server refused a request; undefined if it did not respond with one. */
export function findRefusal(error: Error | DetailedError): string | undefined {
  try {
    const body = 'originalRequest' in error ? error.originalResponse?.getBody() : undefined;
    return (JSON.parse(body ?? '') as { code?: string }).code;
  } catch {
    return undefined;
  }
}

function findStatus({ causingError, originalResponse }: DetailedError): number | undefined {
  return causingError instanceof MisleadingResponse ? causingError.status : originalResponse?.getStatus();
}

class MisleadingResponse extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`The response \${status} is not what it seems.`);
    this.status = status;
  }
}

/** Throws for responses from which tus would draw the wrong conclusion. */
function refuseMisleading(request: HttpRequest, response: HttpResponse): void {
  const status = response.getStatus();
  const good = status >= 200 && status < 300;
  // If anything is wrong when it asks for an upload's offset, tus begins again: a restart of the server, or a proxy
  // that cannot reach it, would lose everything that had arrived. Only an upload that the server does not know begins
  // again.
  if (request.getMethod() === 'HEAD' && !good && !unknownUpload.has(status)) throw new MisleadingResponse(status);
  // If none of a chunk was accepted, tus would send it again at once, and so on forever.
  const taken = Number(response.getHeader('Upload-Offset')) !== Number(request.getHeader('Upload-Offset'));
  if (request.getMethod() === 'PATCH' && good && !taken) throw new MisleadingResponse(status);
}
