import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../lib/http/client.ts';
import type { FileToUpload } from '../lib/http/multipart.ts';
import { type HttpResponse, header, text } from '../lib/http/response.ts';

/**
 * The outcome for the client. Unknown: the connection broke before a response came, so the request may or may not have
 * been carried out.
 */
export type Outcome = 'ok' | 'failed' | 'unknown';

export interface SentFile {
  name: string;
  sizeBytes: number;
  sha256: string;
}

/** An operation that a client wants, however many requests it takes. */
interface Intention {
  draft: string;
  files: SentFile[];
  /** One per request, in the order in which they were made. */
  outcomes: Outcome[];
  /** The response to a failed request, for finding out why. */
  refusals: string[];
}
export interface IntendedUpload extends Intention {
  /** Whether it contains the scanner's test file, and must never be accepted. */
  infected?: boolean;
}
export interface IntendedDispatch extends Intention {
  /** Different for every dispatch, so that the dispatch can be found in history and mails. */
  message: string;
  receivers: string[];
  /** Whether the sender was told that it is revoked. */
  isRevoked?: boolean;
}

/** The outcome that a client may rely on after all its requests. */
export function settledOutcome({ outcomes }: Intention): Outcome {
  if (outcomes.includes('ok')) return 'ok';
  return outcomes.includes('unknown') ? 'unknown' : 'failed';
}

/** Everything that one account requested, and another one that receives. No one else may use the two. */
export class Journal {
  readonly sender: Client;
  readonly receiver: Client;
  readonly beganAt = Date.now();
  readonly uploads: IntendedUpload[] = [];
  readonly dispatches: IntendedDispatch[] = [];

  constructor(sender: Client, receiver: Client) {
    this.sender = sender.impatient();
    this.receiver = receiver.impatient();
  }

  recordUpload(draft: string, files: FileToUpload[]): IntendedUpload {
    const intention: IntendedUpload = { draft, files: files.map(sentFile), outcomes: [], refusals: [] };
    this.uploads.push(intention);
    return intention;
  }

  recordDispatch(draft: string, files: FileToUpload[], receivers: string[], message: string): IntendedDispatch {
    const intention: IntendedDispatch = {
      draft,
      files: files.map(sentFile),
      receivers,
      message,
      outcomes: [],
      refusals: [],
    };
    this.dispatches.push(intention);
    return intention;
  }
}

/** The number of retries of a client that gets a Retry-After. */
const attempts = 5;

/** Makes one request, and records the outcome. Without a response, the connection broke. */
export async function askOnce(
  intention: Intention,
  expected: 'done' | 'ok',
  request: () => Promise<HttpResponse>,
): Promise<HttpResponse | undefined> {
  // Recorded before the request is sent: whatever happens from here on, it may have been carried out.
  const index = intention.outcomes.push('unknown') - 1;
  const response = await request().catch(() => undefined);
  if (response === undefined) return undefined;
  const isDone = response.status === 200 && text(response) === JSON.stringify({ status: expected });
  intention.outcomes[index] = isDone ? 'ok' : 'failed';
  if (!isDone) intention.refusals.push(`${response.status} ${text(response)}`);
  return response;
}

/** Makes a request and retries after a 503, like any well-behaved client. */
export async function ask(
  intention: Intention,
  expected: 'done' | 'ok',
  request: () => Promise<HttpResponse>,
): Promise<Outcome> {
  for (let attempt = 1; ; attempt++) {
    const response = await askOnce(intention, expected, request);
    const outcome = intention.outcomes.at(-1) ?? 'unknown';
    if (outcome !== 'failed' || response?.status !== 503 || attempt === attempts) return outcome;
    await pause(Number(header(response, 'Retry-After')) * 1000);
  }
}

function sentFile({ name, content }: FileToUpload): SentFile {
  const bytes = Buffer.from(content);
  return { name, sizeBytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}
