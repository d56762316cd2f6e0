import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * Treatment of the bytes of every connection, old or new, from the moment the fault is set:
 *
 *   pass           they are forwarded
 *   freeze         they are held back, and forwarded when the fault ends: a frozen server
 *   swallow        they are discarded, and their connections are closed when the fault ends: a black hole
 *   refuse         connections are reset, new ones at once
 *   lose-response  what a client sends is forwarded; when the server replies, the connection is reset instead
 *   delayMs        they are forwarded with this delay
 *   cutAfter       the connection is reset when the server has sent this many bytes
 */
export type TcpFault =
  | 'pass'
  | 'freeze'
  | 'swallow'
  | 'refuse'
  | 'lose-response'
  | { readonly delayMs: number }
  | { readonly cutAfter: number };

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  responseBytes: number;
  lostBytes: number;
}

/** A proxy in front of an engine, or of any other TCP server. */
export class TcpProxy implements AsyncDisposable {
  readonly #target: Endpoint;
  readonly #server = createServer({ pauseOnConnect: true }, (client) => this.#accept(client));
  readonly #pairs = new Set<Pair>();
  #fault: TcpFault = 'pass';
  /** The number of connections that a fault has reset. */
  broken = 0;
  swallowedBytes = 0;

  private constructor(target: Endpoint) {
    this.#target = target;
  }

  static async before(target: Endpoint): Promise<TcpProxy> {
    const proxy = new TcpProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  /** The number of connections at this moment. */
  get open(): number {
    return this.#pairs.size;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** `127.0.0.1:PORT` */
  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** The same URL, through this proxy. */
  through(url: string): string {
    const changed = new URL(url);
    changed.host = this.address;
    return changed.href.replace(/\/$/, url.endsWith('/') ? '/' : '');
  }

  set fault(fault: TcpFault) {
    this.#fault = fault;
    for (const pair of this.#pairs) {
      pair.responseBytes = 0;
      if (fault === 'refuse' || (pair.lostBytes > 0 && fault !== 'swallow')) this.#reset(pair);
      else this.#steer(pair);
    }
  }

  /** Resets every existing connection; new ones are not affected. */
  cut(): void {
    for (const pair of this.#pairs) this.#reset(pair);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { client, server } of this.#pairs) {
      client.destroy();
      server.destroy();
    }
    this.#server.close();
    await once(this.#server, 'close');
  }

  #accept(client: Socket): void {
    client.on('error', () => undefined);
    if (this.#fault === 'refuse') {
      this.broken += 1;
      client.resetAndDestroy();
      return;
    }
    const server = connect(this.#target);
    const pair: Pair = { client, server, responseBytes: 0, lostBytes: 0 };
    this.#pairs.add(pair);
    server.on('error', () => client.destroy());
    client.on('data', (bytes: Buffer) => this.#carry(pair, client, server, bytes));
    server.on('data', (bytes: Buffer) => this.#carry(pair, server, client, bytes));
    client.on('end', () => this.#later(() => server.end()));
    server.on('end', () => this.#later(() => client.end()));
    for (const socket of [client, server]) {
      socket.setNoDelay(true);
      socket.on('close', () => {
        this.#pairs.delete(pair);
        this.#later(() => (socket === client ? server : client).destroy());
      });
    }
    this.#steer(pair);
  }

  #steer({ client, server }: Pair): void {
    for (const socket of [client, server]) {
      if (this.#fault === 'freeze') socket.pause();
      else socket.resume();
    }
  }

  #carry(pair: Pair, from: Socket, to: Socket, bytes: Buffer): void {
    const fault = this.#fault;
    if (fault === 'swallow') {
      pair.lostBytes += bytes.length;
      this.swallowedBytes += bytes.length;
      return;
    }
    const isResponse = from === pair.server;
    if (isResponse && fault === 'lose-response') {
      this.#reset(pair);
      return;
    }
    if (isResponse && typeof fault === 'object' && 'cutAfter' in fault) {
      const left = fault.cutAfter - pair.responseBytes;
      pair.responseBytes += bytes.length;
      if (bytes.length >= left) {
        to.write(bytes.subarray(0, Math.max(0, left)), () => this.#reset(pair));
        from.pause();
        return;
      }
    }
    this.#later(() => {
      if (to.destroyed || to.write(bytes)) return;
      from.pause();
      to.once('drain', () => this.#steer(pair));
    });
  }

  /** All of them after the same delay, so that their order is preserved. */
  #later(work: () => void): void {
    const fault = this.#fault;
    if (typeof fault === 'object' && 'delayMs' in fault) setTimeout(work, fault.delayMs);
    else work();
  }

  #reset(pair: Pair): void {
    if (!this.#pairs.delete(pair)) return;
    this.broken += 1;
    pair.client.resetAndDestroy();
    pair.server.resetAndDestroy();
  }
}
