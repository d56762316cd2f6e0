import { setTimeout as pause } from 'node:timers/promises';
import type { Fate } from '../lib/http/http-proxy.ts';
import type { TcpFault, TcpProxy } from '../lib/http/tcp-proxy.ts';
import { type OwnEngine, signal } from '../lib/servers/own-engines.ts';
import type { FaultyWorld } from './faulty-world.ts';

export interface FaultKind {
  readonly name: string;
  /** Its frequency, relative to the others. */
  readonly weight: number;
  /** Causes the fault, and ends it. */
  readonly inject: (world: FaultyWorld, random: () => number) => Promise<void>;
  /** It may end a sender between "sent" and "recorded", so that a mail is sent again. */
  readonly mayDoubleMails?: true;
}

type Way = keyof FaultyWorld['ways'];
type EngineName = 'postgres' | 'redis' | 'gateway' | 'clamd';
const between = (random: () => number, min: number, max: number) => min + random() * (max - min);

/** For a random time between these two, in milliseconds. */
const onTheWay =
  (way: Way, fault: TcpFault, [min, max]: [number, number]): FaultKind['inject'] =>
  async (world, random) => {
    const proxy: TcpProxy = world.ways[way];
    proxy.fault = fault;
    await pause(between(random, min, max));
    proxy.fault = 'pass';
  };
const cutOff =
  (way: Way): FaultKind['inject'] =>
  async (world) =>
    world.ways[way].cut();
const frozen =
  (name: EngineName, [min, max]: [number, number]): FaultKind['inject'] =>
  async (world, random) => {
    const engine: OwnEngine = world[name];
    await engine.freeze();
    await pause(between(random, min, max));
    engine.thaw();
  };
const killed =
  (name: EngineName): FaultKind['inject'] =>
  async (world) => {
    await world[name].kill();
    await world[name].start();
  };
const reachesS3 =
  (method: string, fate: (random: () => number) => Fate, probability: number): FaultKind['inject'] =>
  async (world, random) => {
    world.s3Fate = (request) => (request.method === method && random() < probability ? fate(random) : 'pass');
    await pause(between(random, 150, 500));
    world.s3Fate = () => 'pass';
  };
const processFrozen =
  (...names: string[]): FaultKind['inject'] =>
  async (world, random) => {
    const pid = world.pid(names[Math.floor(random() * names.length)] ?? '');
    signal(pid, 'SIGSTOP');
    await pause(between(random, 200, 1000));
    signal(pid, 'SIGCONT');
  };

export const faultKinds: FaultKind[] = [
  { name: 'PostgreSQL: connections cut', weight: 10, inject: cutOff('postgres') },
  {
    name: 'PostgreSQL: backends terminated, in a transaction first',
    weight: 12,
    inject: async (world, random) => void (await world.terminateBackends(1 + Math.floor(random() * 3))),
  },
  { name: 'PostgreSQL: responses lost', weight: 5, inject: onTheWay('postgres', 'lose-response', [5, 100]) },
  { name: 'PostgreSQL: slow', weight: 5, inject: onTheWay('postgres', { delayMs: 100 }, [100, 400]) },
  { name: 'PostgreSQL: refused', weight: 5, inject: onTheWay('postgres', 'refuse', [50, 400]) },
  { name: 'PostgreSQL: frozen', weight: 3, inject: frozen('postgres', [200, 1500]) },
  {
    name: 'PostgreSQL: restarted in immediate mode',
    weight: 3,
    inject: (world) => world.postgres.restartImmediately(),
  },
  { name: 'PostgreSQL: killed', weight: 2, inject: killed('postgres') },
  { name: 'Redis: flushed', weight: 8, inject: (world) => world.redis.flush() },
  { name: 'Redis: connections cut', weight: 8, inject: cutOff('redis') },
  { name: 'Redis: black-holed', weight: 4, inject: onTheWay('redis', 'swallow', [100, 1500]) },
  { name: 'Redis: frozen', weight: 3, inject: frozen('redis', [100, 1000]) },
  { name: 'Redis: killed', weight: 4, inject: killed('redis') },
  { name: 'S3: 503 at p = 0.3', weight: 8, inject: reachesS3('PUT', () => 'refuse', 0.3) },
  { name: 'S3: reply to PUT lost at p = 0.5', weight: 6, inject: reachesS3('PUT', () => 'lose', 0.5) },
  {
    name: 'S3: GET truncated',
    weight: 6,
    inject: reachesS3('GET', (random) => ({ cutAfter: Math.floor(random() * 5000) }), 0.7),
  },
  {
    name: 'S3: a bit flipped',
    weight: 6,
    inject: reachesS3('GET', (random) => ({ flipAt: Math.floor(random() * 1000) }), 0.7),
  },
  { name: 'S3: connections cut', weight: 6, inject: cutOff('s3') },
  { name: 'S3: refused', weight: 4, inject: onTheWay('s3', 'refuse', [50, 400]) },
  { name: 'S3: frozen', weight: 3, inject: frozen('gateway', [200, 1500]) },
  { name: 'S3: gateway killed', weight: 3, inject: killed('gateway') },
  { name: 'clamd: connections cut', weight: 5, inject: cutOff('clamd') },
  { name: 'clamd: refused', weight: 4, inject: onTheWay('clamd', 'refuse', [50, 400]) },
  { name: 'clamd: hung', weight: 3, inject: frozen('clamd', [200, 1500]) },
  { name: 'clamd: killed', weight: 2, inject: killed('clamd') },
  { name: 'SMTP: refused', weight: 4, inject: onTheWay('smtp', 'refuse', [50, 400]) },
  { name: 'SMTP: hung', weight: 4, inject: onTheWay('smtp', 'freeze', [200, 1500]) },
  { name: 'SMTP: connections cut', weight: 5, inject: cutOff('smtp'), mayDoubleMails: true },
  {
    name: 'SMTP: responses lost',
    weight: 4,
    inject: onTheWay('smtp', 'lose-response', [20, 200]),
    mayDoubleMails: true,
  },
  {
    name: 'serve: killed',
    weight: 4,
    inject: (world, random) => world.replace(random() < 0.5 ? 'serve 1' : 'serve 2'),
  },
  { name: 'serve: frozen', weight: 4, inject: processFrozen('serve 1', 'serve 2') },
  { name: 'worker: killed', weight: 4, inject: (world) => world.replace('worker'), mayDoubleMails: true },
  { name: 'worker: frozen', weight: 2, inject: processFrozen('worker') },
];

/**
 * Endless: first every kind once, in random order, then kinds by their weights. The same seed chooses the same faults in the
 * same order.
 */
export function* chooseFaults(random: () => number): Generator<FaultKind, never> {
  const once = faultKinds.map((kind) => ({ kind, place: random() }));
  for (const { kind } of once.toSorted((one, other) => one.place - other.place)) yield kind;
  for (;;) yield chooseByWeight(random);
}

function chooseByWeight(random: () => number): FaultKind {
  let left = random() * faultKinds.reduce((sum, { weight }) => sum + weight, 0);
  for (const kind of faultKinds) {
    left -= kind.weight;
    if (left < 0) return kind;
  }
  throw new Error('the weights do not add up');
}

/** Injects faults into a world, one after another, with pauses of up to `maxPauseMs` between them, until it is disposed. */
export function injectFaults(
  world: FaultyWorld,
  random: () => number,
  maxPauseMs: number,
): AsyncDisposable & { readonly count: number } {
  const end = new AbortController();
  let count = 0;
  const injecting = (async () => {
    for (const kind of chooseFaults(random)) {
      if (end.signal.aborted) return;
      await kind.inject(world, random);
      count += 1;
      await pause(random() * maxPauseMs, undefined, { signal: end.signal }).catch(() => undefined);
    }
  })();
  return {
    get count() {
      return count;
    },
    async [Symbol.asyncDispose]() {
      end.abort();
      await injecting;
      await world.heal();
    },
  };
}
