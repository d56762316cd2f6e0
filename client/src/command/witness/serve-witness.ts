import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { judgeAddCheckpoint, parseAddCheckpoint, type Signer, signText, type Verifier } from '@waybill/evidence';
import type { StateFile } from './state-file.ts';

export interface Witness {
  /** The keys of the logs that it cosigns. */
  logs: readonly Verifier[];
  signers: readonly Signer[];
  verifierKeys: readonly string[];
  state: Pick<StateFile, 'get' | 'put'>;
  /** Is told of every judged request, so that an operator sees a log that contradicts itself. */
  report: (judgement: Judgement) => void;
}

export interface Judgement {
  status: number;
  origin: string;
  message: string;
  /** The checkpoint that contradicts what was cosigned. */
  checkpoint?: string;
}

/** Room for 63 hashes, and a checkpoint with dozens of signatures. */
const maxBodyBytes = 256 * 1024;

/** Serves `add-checkpoint` of C2SP tlog-witness. Checkpoints are judged one after another, and stored before the response. */
export function createWitnessServer(witness: Witness): Server {
  let last: Promise<unknown> = Promise.resolve();
  const server = createServer((request, response) => {
    // A client that ends its request early gets no response.
    void respond(request, response).catch(() => response.destroy());
  });
  server.maxConnections = 64;
  server.requestTimeout = 10_000;
  server.headersTimeout = 5_000;
  return server;

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url?.split('?')[0];
    if (path === '/' && request.method === 'GET') return send(response, 200, `${witness.verifierKeys.join('\n')}\n`);
    if (path !== '/add-checkpoint') return send(response, 404, 'Use POST /add-checkpoint.\n');
    if (request.method !== 'POST') return send(response, 405, 'Use POST.\n', { allow: 'POST' });
    const body = await readBody(request);
    if (body === undefined) return send(response, 413, 'The request is too large.\n', { connection: 'close' });
    const judged = last.then(() => addCheckpoint(witness, body));
    last = judged.catch(() => undefined);
    const { status, text, type } = await judged;
    send(response, status, text, type === undefined ? {} : { 'content-type': type });
  }
}

/** Judges a request and stores its checkpoint. Requests come one at a time, so that none is judged by an outdated state. */
async function addCheckpoint(witness: Witness, body: string): Promise<{ status: number; text: string; type?: string }> {
  const request = parseAddCheckpoint(body);
  if (!request) return { status: 400, text: 'The request is malformed.\n' };
  const { origin, checkpoint } = request;
  const decision = judgeAddCheckpoint(witness.state.get(origin), request, witness.logs);
  if (decision.status !== 200) {
    const { status, body: text, isFork = false } = decision;
    const size = status === 409 ? { type: 'text/x.tlog.size' } : {};
    // The witness has cosigned this size with another root, and the log has signed both: whoever reads this can prove it.
    if (isFork)
      witness.report({
        status,
        origin,
        message: `FORK: the log has signed two views of ${text.trim()} entries`,
        checkpoint,
      });
    else if (status === 422)
      witness.report({ status, origin, message: 'REFUSED: not an extension of the log that was cosigned', checkpoint });
    else witness.report({ status, origin, message: status === 409 ? `last cosigned: ${text.trim()}` : text.trim() });
    return { status, text, ...size };
  }
  try {
    await witness.state.put(origin, decision.next);
  } catch (error) {
    witness.report({ status: 500, origin, message: `NOT STORED: ${(error as Error).message}` });
    return { status: 500, text: 'The checkpoint cannot be stored, so it is not cosigned.\n' };
  }
  const lines = await Promise.all(witness.signers.map((signer) => signText(decision.text, signer)));
  witness.report({ status: 200, origin, message: `cosigned ${decision.next.size} entries` });
  return { status: 200, text: lines.join('') };
}

/** Returns undefined if the body is too large; its rest is not read. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > maxBodyBytes) return undefined;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function send(response: ServerResponse, status: number, text: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}
