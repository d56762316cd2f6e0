import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { testHost } from './server.ts';

export interface SentEvent {
  readonly type: string;
  readonly id: string;
  readonly data: unknown;
}

/** A client of a stream of server-sent events. The server has to listen. */
export class EventStreamReader {
  readonly response: IncomingMessage;
  readonly events: SentEvent[] = [];
  /** The id that an `EventSource` would send as `Last-Event-ID`. */
  lastId = '';
  isOver = false;
  /** Whether the server ended the stream, instead of breaking the connection. */
  endedWell = false;

  private constructor(response: IncomingMessage) {
    this.response = response;
    let text = '';
    response.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) this.#read(block);
    });
    response.on('error', () => undefined);
    response.on('end', () => (this.endedWell = true));
    response.on('close', () => (this.isOver = true));
  }

  static async open(app: FastifyInstance, path: string, headers: Record<string, string>): Promise<EventStreamReader> {
    const { port } = app.server.address() as AddressInfo;
    const outgoing = request({
      host: '127.0.0.1',
      port,
      path,
      agent: false,
      headers: { host: testHost, accept: 'text/event-stream', ...headers },
    });
    outgoing.end();
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    return new EventStreamReader(response);
  }

  close(): void {
    this.response.destroy();
  }

  #read(block: string): void {
    const fields = new Map(
      block.split('\n').map((line) => [line.split(':', 1)[0] ?? '', line.replace(/^[^:]*: ?/, '')]),
    );
    this.lastId = fields.get('id') ?? this.lastId;
    const data = fields.get('data');
    if (data === undefined) return;
    this.events.push({ type: fields.get('event') ?? '', id: this.lastId, data: JSON.parse(data) });
  }
}
