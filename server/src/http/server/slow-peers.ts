import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { onConnection } from './tls.ts';

const checkMs = 5_000;
const bodyWindowMs = 30_000;
const stalledReaderMs = 60_000;

interface Peer {
  request: { complete: boolean } | undefined;
  /** Infinity while the peer waits to be asked for its body. */
  windowStart: number;
  readAtStart: number;
  /** The count at the end of the previous request. */
  readBefore: number;
  written: number;
  writtenAt: number;
}

export interface PaceLimits {
  /** A body that arrives more slowly than this over half a minute is cut. */
  readonly minBodyBytesPerSecond: number;
}

/** Documented in docs/api.md: clients rely on it. */
export const paceLimits: PaceLimits = { minBodyBytesPerSecond: 1024 };

export interface SlowPeers {
  /** Expects the body of a peer that sent `Expect: 100-continue` from now on. */
  bodyIsAskedFor(socket: Socket): void;
  stop(): void;
}

/**
 * Cuts peers that hold a connection without using it: a body that trickles in, or a reader that reads nothing. A limit
 * on the whole request would not work, because an honest upload may take days.
 */
export function cutSlowPeers(
  server: Server,
  { minBodyBytesPerSecond }: PaceLimits,
  now: () => number = () => performance.now(),
): SlowPeers {
  const minBytesPerWindow = (minBodyBytesPerSecond * bodyWindowMs) / 1000;
  const peers = new Map<Socket, Peer>();
  onConnection(server, (socket) => {
    peers.set(socket, {
      request: undefined,
      windowStart: now(),
      readAtStart: 0,
      readBefore: 0,
      written: 0,
      writtenAt: now(),
    });
    socket.once('close', () => peers.delete(socket));
  });
  server.on('request', (request) => {
    const peer = peers.get(request.socket);
    if (!peer) return;
    peer.request = request;
    // Nobody is asked for a body in HTTP/1.0, whatever the request expects.
    const waits = request.headers.expect !== undefined && request.httpVersion === '1.1';
    peer.windowStart = waits ? Number.POSITIVE_INFINITY : now();
    // Part of the body may have arrived together with the head.
    peer.readAtStart = peer.readBefore;
    request.once('end', () => {
      peer.readBefore = request.socket.bytesRead;
    });
  });
  const timer = setInterval(() => {
    for (const [socket, peer] of peers) {
      if (trickles(socket, peer, minBytesPerWindow, now()) || isStalled(socket, peer, now())) socket.destroy();
    }
  }, checkMs).unref();
  return {
    bodyIsAskedFor(socket) {
      const peer = peers.get(socket);
      if (peer) peer.windowStart = now();
    },
    stop: () => clearInterval(timer),
  };
}

function trickles(socket: Socket, peer: Peer, minBytes: number, time: number): boolean {
  if (!peer.request || peer.request.complete || time - peer.windowStart < bodyWindowMs) return false;
  // A body that we are not reading yet is not the peer's fault.
  const slow = !socket.isPaused() && socket.bytesRead - peer.readAtStart < minBytes;
  peer.windowStart = time;
  peer.readAtStart = socket.bytesRead;
  return slow;
}

function isStalled(socket: Socket, peer: Peer, time: number): boolean {
  const written = socket.bytesWritten - socket.writableLength;
  if (socket.writableLength === 0 || written !== peer.written) {
    peer.written = written;
    peer.writtenAt = time;
    return false;
  }
  return time - peer.writtenAt >= stalledReaderMs;
}
