import type { DetailedError, HttpRequest, HttpResponse, UploadOptions } from 'tus-js-client';

/** The server stores whole chunks of this size: a break costs one at most. */
const chunkBytes = 8 * 1024 * 1024;
/** Answers of the 400s that pass by themselves: too slow, out of step, locked by an attempt before, too often. */
const passing = new Set([408, 409, 423, 429]);
/** How a server says that it knows nothing of an upload. */
const unknownUpload = new Set([404, 410]);

/** How an upload treats the server's answers. It tries a few times within seconds; the queue does so without end. */
export function tusManners(isOnline: () => boolean): UploadOptions {
  return {
    chunkSize: chunkBytes,
    retryDelays: [500, 1000, 2000, 4000].map((delay) => delay * (0.75 + Math.random() / 2)),
    onShouldRetry: (error) => willPass(error) && isOnline(),
    onAfterResponse: refuseMisleading,
  };
}

/** Whether it is the network's or the server's passing trouble, and no word about the file itself. */
export function willPass(error: Error | DetailedError): boolean {
  // What tells of no request went wrong in this browser: a file that can no longer be read, say.
  if (!('originalRequest' in error)) return false;
  const { causingError } = error;
  const status = causingError instanceof MisleadingAnswer ? causingError.status : error.originalResponse?.getStatus();
  return status === undefined || status < 400 || status >= 500 || passing.has(status);
}

class MisleadingAnswer extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`The answer ${status} is not what it seems.`);
    this.status = status;
  }
}

/** tus would draw the wrong conclusion from these. */
function refuseMisleading(request: HttpRequest, response: HttpResponse): void {
  const status = response.getStatus();
  const good = status >= 200 && status < 300;
  // Whatever is wrong when it asks how far an upload is, tus begins again: a restart of the server, or a proxy without
  // one, would cost all that had arrived. Only an upload that the server does not know begins again.
  if (request.getMethod() === 'HEAD' && !good && !unknownUpload.has(status)) throw new MisleadingAnswer(status);
  // When none of a chunk was taken, tus would send it again at once, and so forever.
  const taken = Number(response.getHeader('Upload-Offset')) !== Number(request.getHeader('Upload-Offset'));
  if (request.getMethod() === 'PATCH' && good && !taken) throw new MisleadingAnswer(status);
}
