import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const checkMs = 5_000;
const bodyWindowMs = 30_000;
const stalledReaderMs = 60_000;

interface Peer {
  request: { complete: boolean } | undefined;
  windowStart: number;
  readAtStart: number;
  written: number;
  writtenAt: number;
}

export interface PaceLimits {
  /** A body that brings less than this over half a minute is cut. */
  readonly minBodyBytesPerSecond: number;
}

/**
 * Cuts peers that hold a connection without using it: a body that trickles, a reader that takes nothing. A limit on the
 * whole request would not do, because an honest upload may take days.
 */
export function cutSlowPeers(
  server: Server,
  { minBodyBytesPerSecond }: PaceLimits,
  now: () => number = () => performance.now(),
): () => void {
  const minBytesPerWindow = (minBodyBytesPerSecond * bodyWindowMs) / 1000;
  const peers = new Map<Socket, Peer>();
  server.on('connection', (socket) => {
    peers.set(socket, { request: undefined, windowStart: now(), readAtStart: 0, written: 0, writtenAt: now() });
    socket.once('close', () => peers.delete(socket));
  });
  server.on('request', (request) => {
    const peer = peers.get(request.socket);
    if (!peer) return;
    peer.request = request;
    peer.windowStart = now();
    peer.readAtStart = request.socket.bytesRead;
  });
  const timer = setInterval(() => {
    for (const [socket, peer] of peers) {
      if (trickles(socket, peer, minBytesPerWindow, now()) || isStalled(socket, peer, now())) socket.destroy();
    }
  }, checkMs).unref();
  return () => clearInterval(timer);
}

function trickles(socket: Socket, peer: Peer, minBytes: number, time: number): boolean {
  if (!peer.request || peer.request.complete || time - peer.windowStart < bodyWindowMs) return false;
  // A body we are not reading yet is not the peer's fault.
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
