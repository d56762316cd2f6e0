import { once } from 'node:events';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import type { OwnServe } from './own-serve.ts';

/** One address in front of several servers, whose cable can be pulled. It counts what the browser sends. */
export class Line {
  readonly #server: Server;
  readonly #connections = new Set<Socket>();
  readonly #targets: OwnServe[] = [];
  #pulled = false;
  sentBytes = 0;

  constructor() {
    this.#server = createServer((client) => this.#connect(client));
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('no port was given');
    return `127.0.0.1:${address.port}`;
  }

  /** Uses the first of them, and the next one when that is gone. */
  leadTo(...targets: OwnServe[]): void {
    this.#targets.push(...targets);
  }

  hasLost(target: OwnServe): void {
    this.#targets.splice(this.#targets.indexOf(target), 1);
  }

  pull(): void {
    this.#pulled = true;
    for (const socket of this.#connections) socket.destroy();
  }

  plugIn(): void {
    this.#pulled = false;
  }

  async close(): Promise<void> {
    this.pull();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #connect(client: Socket): void {
    const target = this.#targets[0];
    if (this.#pulled || !target) return void client.destroy();
    const { hostname, port } = new URL(target.baseUrl);
    const server = createConnection(Number(port), hostname);
    for (const socket of [client, server]) {
      this.#connections.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        this.#connections.delete(socket);
        client.destroy();
        server.destroy();
      });
    }
    client.on('data', (bytes) => {
      this.sentBytes += bytes.length;
    });
    client.pipe(server);
    server.pipe(client);
  }
}
