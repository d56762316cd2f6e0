import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { refuse, succeed, WireServer } from './wire-server.ts';

export interface Drop {
  url: string;
  files: Record<string, string>;
  /** The paths of files in the folder that was sent, by their names. */
  paths?: Record<string, string>;
  /** Files that have expired, although the entry has not. */
  ended?: string[];
}

export interface Queued {
  attempts: number;
  lease: string | undefined;
  /** The number of pulls until the entry is available. */
  availableIn: number;
  availableAt?: string;
  acknowledged: number;
  parked: boolean;
  /** The delays in seconds with which it was given back. */
  delays: number[];
}

export interface InboxServer extends WireServer {
  fetched: string[];
  queue: Map<string, Queued>;
  nextPull(): void;
  /** Responds to a request for events. */
  events: (after: string, response: ServerResponse) => void;
  /** Responds in place of the server, or returns false. */
  intercept: (path: string, response: ServerResponse) => boolean;
}

/** After so many attempts, an entry that is given back is parked. */
export const maxAttempts = 10;

/** Starts a server with an inbox that follows docs/api-v1.md. */
export async function startInboxServer(drops: Drop[]): Promise<InboxServer> {
  const fetched: string[] = [];
  const queue = new Map<string, Queued>();
  const claims = new Map<string, unknown>();
  const releases = new Set<string>();
  const queued = (url: string) => {
    const known = queue.get(url) ?? {
      attempts: 0,
      lease: undefined,
      availableIn: 0,
      acknowledged: 0,
      parked: false,
      delays: [],
    };
    queue.set(url, known);
    return known;
  };
  const shown = ({ url, files }: Drop) => ({
    id: url,
    sender: 'beta@machines.test',
    file_count: Object.keys(files).length,
    received_at: '2030-01-31T12:00:00.000Z',
    attempts: queued(url).attempts,
    lease: queued(url).lease,
    state: queued(url).parked ? 'parked' : queued(url).lease === undefined ? 'available' : 'claimed',
    available_at: queued(url).parked ? null : (queued(url).availableAt ?? null),
    parked_at: queued(url).parked ? '2030-01-31T12:00:00.000Z' : null,
  });
  const claim = (max: number) => {
    const due = drops.filter(({ url }) => {
      const { lease, availableIn, acknowledged, parked } = queued(url);
      return lease === undefined && availableIn <= 0 && acknowledged === 0 && !parked;
    });
    for (const { url } of due.slice(0, max)) {
      queued(url).attempts += 1;
      queued(url).lease = `lease ${url} ${queued(url).attempts}`;
    }
    return { data: due.slice(0, max).map(shown) };
  };
  const server = await WireServer.start(({ path, headers, body }, response) => {
    if (extended.intercept(path, response)) return;
    if (path.startsWith('events?'))
      return extended.events(new URLSearchParams(path.slice(7)).get('cursor') ?? '', response);
    const [, id = '', action, file = ''] = path.split('/').map(decodeURIComponent);
    if (id === 'claim') {
      const key = String(headers['idempotency-key']);
      const entries = claims.get(key) ?? claim((JSON.parse(body.toString()) as { max: number }).max);
      claims.set(key, entries);
      return succeed(response, entries);
    }
    if (path.startsWith('inbox?')) {
      const waiting = drops.filter(({ url }) => queued(url).acknowledged === 0);
      return succeed(response, { data: waiting.map(shown), next_cursor: null });
    }
    const drop = drops.find(({ url }) => url === id);
    if (drop === undefined) return refuse(response, 404, 'not_found');
    if (action === undefined) {
      const files = Object.keys(drop.files).map((name, index) => ({
        id: String(index),
        name,
        path: drop.paths?.[name] ?? name,
        size: Buffer.byteLength(drop.files[name] ?? ''),
        sha256: createHash('sha256')
          .update(drop.files[name] ?? '')
          .digest('hex'),
      }));
      return succeed(response, { ...shown(drop), files });
    }
    if (action === 'ack' || action === 'nack' || action === 'renew') {
      const entry = queued(id);
      const { lease, delay_seconds: delay = 30 * 2 ** (entry.attempts - 1) } = JSON.parse(body.toString()) as {
        lease: string;
        delay_seconds?: number;
      };
      if (lease !== entry.lease) return refuse(response, 409, 'lease_not_held');
      if (action === 'renew') return succeed(response, shown(drop));
      entry.lease = undefined;
      if (action === 'ack') entry.acknowledged += 1;
      else {
        entry.availableIn = delay > 0 ? 1 : 0;
        entry.delays.push(delay);
        entry.parked = entry.attempts >= maxAttempts;
        entry.availableAt = new Date(Date.now() + delay * 1000).toISOString();
      }
      return succeed(response, shown(drop));
    }
    if (action === 'release') {
      const key = String(headers['idempotency-key']);
      if (!queued(id).parked && !releases.has(key)) return refuse(response, 409, 'not_parked');
      releases.add(key);
      Object.assign(queued(id), { parked: false, attempts: 0, availableIn: 0, availableAt: new Date().toISOString() });
      return succeed(response, shown(drop));
    }
    const [name = '', content = ''] = Object.entries(drop.files)[Number(file)] ?? [];
    if (drop.ended?.includes(name) === true) return refuse(response, 404, 'not_found');
    fetched.push(`${id}/${name}`);
    const digest = createHash('sha256').update(content).digest('base64');
    response.writeHead(200, {
      ETag: `"${digest}"`,
      'Repr-Digest': `sha-256=:${digest}:`,
      'Content-Length': Buffer.byteLength(content),
    });
    response.end(content);
  });
  const nextPull = () => {
    for (const entry of queue.values()) entry.availableIn -= 1;
  };
  const events: InboxServer['events'] = (_after, response) => refuse(response, 403, 'scope_missing');
  const extended: InboxServer = Object.assign(server, {
    fetched,
    queue,
    nextPull,
    events,
    intercept: () => false,
  });
  return extended;
}
