import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, header, text } from '../lib/answer.ts';
import type { Client } from '../lib/client.ts';
import type { FileToUpload } from '../lib/multipart.ts';

/** What a client was told. Unknown: the connection broke before an answer came, so it may have happened or not. */
export type Outcome = 'ok' | 'failed' | 'unknown';

export interface SentFile {
  name: string;
  sizeBytes: number;
  sha256: string;
}

/** One thing a client wants done, however often it had to ask. */
interface Wish {
  draft: string;
  files: SentFile[];
  /** One per request, in the order they were made. */
  outcomes: Outcome[];
  /** What was answered where it failed, for who has to find out why. */
  refusals: string[];
}
export interface UploadWish extends Wish {
  /** It carries the scanner's test file: it must never be taken. */
  infected?: boolean;
}
export interface DispatchWish extends Wish {
  /** Different for every dispatch: it is how the dispatch is found again in history and mails. */
  message: string;
  receivers: string[];
}

/** The outcome a client may rely on after all its requests. */
export function settledOutcome({ outcomes }: Wish): Outcome {
  if (outcomes.includes('ok')) return 'ok';
  return outcomes.includes('unknown') ? 'unknown' : 'failed';
}

/** All that one account asked for, and another that receives. Nobody else may use the two. */
export class Journal {
  readonly sender: Client;
  readonly receiver: Client;
  readonly beganAt = Date.now();
  readonly uploads: UploadWish[] = [];
  readonly dispatches: DispatchWish[] = [];

  constructor(sender: Client, receiver: Client) {
    this.sender = sender;
    this.receiver = receiver;
  }

  wishUpload(draft: string, files: FileToUpload[]): UploadWish {
    const wish: UploadWish = { draft, files: files.map(sentFile), outcomes: [], refusals: [] };
    this.uploads.push(wish);
    return wish;
  }

  wishDispatch(draft: string, files: FileToUpload[], receivers: string[], message: string): DispatchWish {
    const wish: DispatchWish = { draft, files: files.map(sentFile), receivers, message, outcomes: [], refusals: [] };
    this.dispatches.push(wish);
    return wish;
  }
}

/** A client that is told to come back does so this often. */
const attempts = 5;

/** Asks once, and writes down what came of it. Without an answer the connection broke. */
export async function askOnce(
  wish: Wish,
  expected: 'done' | 'ok',
  request: () => Promise<Answer>,
): Promise<Answer | undefined> {
  // Written before the request leaves: whatever happens from here on, it may have been done.
  const index = wish.outcomes.push('unknown') - 1;
  const answer = await request().catch(() => undefined);
  if (answer === undefined) return undefined;
  const isDone = answer.status === 200 && text(answer) === JSON.stringify({ status: expected });
  wish.outcomes[index] = isDone ? 'ok' : 'failed';
  if (!isDone) wish.refusals.push(`${answer.status} ${text(answer)}`);
  return answer;
}

/** Asks, and comes back when it is told to by a 503, as any good client. */
export async function ask(wish: Wish, expected: 'done' | 'ok', request: () => Promise<Answer>): Promise<Outcome> {
  for (let attempt = 1; ; attempt++) {
    const answer = await askOnce(wish, expected, request);
    const outcome = wish.outcomes.at(-1) ?? 'unknown';
    if (outcome !== 'failed' || answer?.status !== 503 || attempt === attempts) return outcome;
    await pause(Number(header(answer, 'Retry-After')) * 1000);
  }
}

function sentFile({ name, content }: FileToUpload): SentFile {
  const bytes = Buffer.from(content);
  return { name, sizeBytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}
