import { setTimeout as pause } from 'node:timers/promises';
import { Lane, type Sailing, sail } from '../checker/lane.ts';
import { request } from '../lib/http/request.ts';
import { text } from '../lib/http/response.ts';
import { seeded } from '../lib/seeded.ts';
import { demo } from '../lib/servers/running-demo.ts';
import { eventually } from '../lib/wait.ts';
import type { Installation } from './installation.ts';

const betweenPagesMs = 100;
/** Long, because how fast it is on a busy machine is not the question here. */
const uploadedWithinMs = 120_000;

/** Clients that send and fetch, and a browser, that notice every request that fails. */
export class Load implements AsyncDisposable {
  readonly #lanes: readonly Lane[];
  readonly #sailing: Sailing;
  readonly #over = new AbortController();
  readonly #browsing: Promise<string[]>;

  private constructor(lanes: readonly Lane[], baseUrl: string) {
    this.#lanes = lanes;
    this.#sailing = sail(lanes);
    this.#browsing = browse(baseUrl, this.#over.signal);
  }

  static async start(exchange: Installation): Promise<Load> {
    const world = { exchange, serveUrls: [exchange.baseUrl, exchange.baseUrl] };
    return new Load(await Promise.all([1, 2, 3].map((seed) => Lane.open(world, seeded(seed)))), exchange.baseUrl);
  }

  /** Waits for this many more uploads. */
  async uploads(count: number): Promise<void> {
    const before = this.#sailing.uploads();
    const done = async () => this.#sailing.uploads() >= before + count || undefined;
    await eventually(`${count} uploads`, done, { withinMs: uploadedWithinMs });
  }

  get journals() {
    return this.#lanes.map(({ journal }) => journal);
  }

  /** Ends it, and returns every request that did not succeed at once, and every response that was wrong. */
  async end(): Promise<string[]> {
    this.#over.abort();
    await this.#sailing.end();
    const failed = this.#lanes.flatMap(({ problems, seen: { putOff, token, broken, undelivered } }) => [
      ...problems,
      ...Object.entries({ putOff, token, broken, undelivered }).flatMap(([kind, count]) =>
        count > 0 ? [`${kind}: ${count}`] : [],
      ),
    ]);
    return [...failed, ...(await this.#browsing)];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over.abort();
    await Promise.all([this.#sailing[Symbol.asyncDispose](), this.#browsing]);
  }
}

/** Opens the front page, with its stylesheets, script and icon, again and again, keeping nothing. */
async function browse(baseUrl: string, over: AbortSignal): Promise<string[]> {
  const failed: string[] = [];
  const headers = { Host: new URL(demo().base_url).host };
  const open = async (path: string) => {
    const response = await request(baseUrl, 'GET', path, { headers }).catch((error: Error) => error);
    if (response instanceof Error) failed.push(`GET ${path}: ${response.message}`);
    else if (response.status !== 200) failed.push(`GET ${path}: the response was ${response.status}`);
    else return text(response);
    return '';
  };
  while (!over.aborted) {
    const page = await open('/');
    await Promise.all([...page.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path = '']) => open(path)));
    await pause(betweenPagesMs);
  }
  return failed;
}
