/**
 * One client of the storm: like any well-behaved program, it sends, downloads what arrived, and retries until it gets
 * "done".
 */
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { eicar } from '../../tools/shared/eicar.ts';
import { uniqueAddress } from '../lib/accounts.ts';
import type { Client } from '../lib/http/client.ts';
import type { FileToUpload } from '../lib/http/multipart.ts';
import { type HttpResponse, json } from '../lib/http/response.ts';
import type { History } from '../lib/http/shapes.ts';
import { introduce } from '../lib/scenario.ts';
import type { OwnExchange } from '../lib/servers/own-exchange.ts';
import { stopwatch } from '../lib/stopwatch.ts';
import { askOnce, type IntendedDispatch, Journal } from './journal.ts';

/** The responses that clients got since the counters were last read. */
export interface Seen {
  done: number;
  /** Of these, uploads: each has gone through every engine except the mail server. */
  uploads: number;
  putOff: number;
  token: number;
  broken: number;
  /** Downloads that failed although the drop had not ended. */
  undelivered: number;
}
export const nothingSeen = (): Seen => ({ done: 0, uploads: 0, putOff: 0, token: 0, broken: 0, undelivered: 0 });

const overOneChunk = 9 * 1024 * 1024;
const responseWithinMs = 12_000;
/** A well-behaved client waits before it retries; less long here, because faults are short. */
const askAgainAfterMs = 100;
const insistsForMs = 60_000;

/** Settings for the dispatches of a lane, some of which end after seconds. */
export const laneSettings = {
  WAYBILL_SCAN: 'required',
  WAYBILL_LIFETIME_UNIT: 'seconds',
  WAYBILL_LIFETIME_MAX: '1000000',
};

/** Two processes of one Waybill. */
export interface Served {
  readonly exchange: Pick<OwnExchange, 'client'>;
  readonly serveUrls: readonly string[];
}

export class Lane {
  readonly #world: Served;
  readonly #random: () => number;
  readonly #revoked: number;
  readonly journal: Journal;
  readonly problems: string[] = [];
  readonly #addresses: string[];
  seen = nothingSeen();
  downloads = 0;

  private constructor(
    world: Served,
    { random, revoked, ...kept }: { random: () => number; revoked: number; journal: Journal; addresses: string[] },
  ) {
    this.#world = world;
    this.#random = random;
    this.#revoked = revoked;
    this.journal = kept.journal;
    this.#addresses = kept.addresses;
  }

  /** Opens two accounts. `revoked` is the share of dispatches that the sender revokes. */
  static async open(world: Served, random: () => number, revoked = 0): Promise<Lane> {
    const journal = new Journal(await world.exchange.client('storm'), await world.exchange.client('harbour'));
    const addresses = Array.from({ length: 20 }, () => uniqueAddress('outside'));
    await introduce(journal.sender, [journal.receiver.user, ...addresses]);
    return new Lane(world, { random, revoked, journal, addresses });
  }

  /** Makes a complete dispatch or an infected upload, and then downloads what has arrived. */
  async round(number: number): Promise<void> {
    const label = `${number}-${randomBytes(6).toString('hex')}`;
    const client = this.journal.sender.inDraft(label);
    if (this.#random() < 0.05) return await this.#sendInfected(client, label);
    const files = this.#files(label);
    const receivers = [this.journal.receiver.user, this.#addresses[number % this.#addresses.length] ?? ''];
    const upload = this.journal.recordUpload(label, files);
    await this.#insist('receivers_set', client, (c) => c.setReceivers(receivers.map((email) => ({ email }))));
    await this.#insist('get_files', client, (c) => c.files());
    await this.#insist('upload', client, (c) => this.#note(() => askOnce(upload, 'done', () => c.upload(...files))));
    if (upload.outcomes.at(-1) !== 'ok') return;
    const dispatch = this.journal.recordDispatch(label, files, receivers, `message ${label}`);
    // Occasionally one that ends while the storm is still going on.
    const parameters = { ddmessage: dispatch.message, desttime: this.#random() < 0.1 ? 3 : 500_000 };
    const key: Record<string, string> = this.#random() < 0.5 ? { 'Idempotency-Key': label } : {};
    await this.#insist('createdrop', client, (c) =>
      this.#note(() => askOnce(dispatch, 'ok', () => c.createDrop(parameters, key))),
    );
    if (this.#random() < 0.5) await this.#fetchNewest();
    if (this.#random() < this.#revoked && dispatch.outcomes.at(-1) === 'ok') await this.#revoke(dispatch);
  }

  /** Revokes a dispatch. One that has ended by itself in the meantime is not revoked. */
  async #revoke(dispatch: IntendedDispatch): Promise<void> {
    const { sender } = this.journal;
    const found = await this.#insist('list of drops', sender, (c) =>
      askV1(c, 'GET', `/drops?contains=${encodeURIComponent(dispatch.message)}`),
    );
    const [drop] = found?.status === 200 ? json<{ data: { id: string }[] }>(found).data : [];
    if (!drop) return;
    let attempts = 0;
    const revoked = await this.#insist(
      'revocation',
      sender,
      (c) => {
        attempts += 1;
        return askV1(c, 'POST', `/drops/${drop.id}/revoke`, {});
      },
      [200, 410],
    );
    if (revoked?.status === 200) dispatch.isRevoked = true;
    // An attempt without a response may have revoked it; its code says whether it was that.
    const isOurs = attempts > 1 && revoked?.status === 410 && json<{ code: string }>(revoked).code === 'link_revoked';
    if (isOurs) dispatch.isRevoked = true;
  }

  async #sendInfected(client: Client, label: string): Promise<void> {
    const intention = this.journal.recordUpload(label, [{ name: `${label}.com`, content: eicar }]);
    intention.infected = true;
    await this.#insist(
      'upload of the test virus',
      client,
      (c) => this.#note(() => askOnce(intention, 'done', () => c.upload({ name: `${label}.com`, content: eicar }))),
      [200, 422],
    );
  }

  /** Checks that every response with 200 has exactly the bytes that were sent. */
  async #fetchNewest(): Promise<void> {
    const client = this.journal.receiver;
    const response = await this.#insist('get_history', client, (c) => c.history());
    const [entry] = response?.status === 200 ? json<History>(response).inbox : [];
    const name = entry?.files[0]?.name ?? '';
    const sent = this.journal.uploads.flatMap(({ files }) => files).find((file) => file.name === name);
    if (!entry || !sent) return;
    const got = await this.#through(client)
      .download(entry.url, name)
      .catch(() => undefined);
    this.downloads += 1;
    if (got?.status !== 200) {
      if (![403, 404, 410].includes(got?.status ?? 0)) this.seen.undelivered += 1;
      const known =
        [undefined, 403, 404, 410, 503].includes(got?.status) ||
        json<{ code: string }>(got as HttpResponse).code === 'damaged';
      if (!known) this.problems.push(`download of ${name}: the response was ${got?.status} ${got?.body.toString()}`);
    } else if (createHash('sha256').update(got.body).digest('hex') !== sent.sha256) {
      this.problems.push(`download of ${name}: the response was 200 with other bytes`);
    }
  }

  async #note(asked: () => Promise<HttpResponse | undefined>): Promise<HttpResponse> {
    const response = await asked();
    if (response === undefined) throw new Error('the connection broke');
    return response;
  }

  /** Retries through either process until it succeeds, and counts the responses it gets meanwhile. */
  async #insist(
    what: string,
    client: Client,
    request: (client: Client) => Promise<HttpResponse>,
    final = [200],
  ): Promise<HttpResponse | undefined> {
    const deadline = Date.now() + insistsForMs;
    while (Date.now() < deadline) {
      const elapsed = stopwatch();
      const response = await request(this.#through(client)).catch((error: Error) => error);
      const tookMs = elapsed();
      if (tookMs > responseWithinMs) this.problems.push(`${what}: took ${Math.round(tookMs)} ms`);
      if (response instanceof Error) {
        if (response.message.startsWith('openapi.json')) this.problems.push(response.message);
        if (response.message.startsWith('no token: 503')) this.seen.putOff += 1;
        else this.seen.broken += 1;
        client.discardToken();
      } else if (final.includes(response.status)) {
        this.seen.done += 1;
        if (what.startsWith('upload')) this.seen.uploads += 1;
        return response;
      } else if (response.status === 403) {
        this.seen.token += 1;
        // For this draft's client and those of later drafts.
        for (const one of [client, this.journal.sender]) one.discardToken();
      } else if (response.status === 503) {
        this.seen.putOff += 1;
      } else {
        this.problems.push(`${what}: the response was ${response.status} ${response.body.toString()}`);
        return response;
      }
      await pause(askAgainAfterMs);
    }
    this.problems.push(`${what}: not done within ${insistsForMs} ms`);
    return undefined;
  }

  #through(client: Client): Client {
    const url = this.#world.serveUrls[Math.floor(this.#random() * 2)] ?? '';
    return client.through(url);
  }

  /** Makes mostly one small file, occasionally two, or one of two chunks. */
  #files(label: string): FileToUpload[] {
    const kind = this.#random();
    const small = (suffix: string) => ({
      name: `${label}.${suffix}`,
      content: randomBytes(1 + Math.floor(this.#random() * 100_000)),
    });
    if (kind < 0.04) return [{ name: `${label}.large`, content: randomBytes(overOneChunk) }];
    return kind < 0.2 ? [small('first'), small('second')] : [small('only')];
  }
}

function askV1(client: Client, method: string, path: string, body?: object): Promise<HttpResponse> {
  return client.plain(method, `/api/v1${path}`, {
    headers: {
      Authorization: `Bearer ${client.account.apiKey}`,
      ...(body && { 'Content-Type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
}

export interface Sailing extends AsyncDisposable {
  /** The number of uploads acknowledged so far. */
  readonly uploads: () => number;
  readonly end: () => Promise<void>;
}

/** Runs lanes round after round until they are told to end. */
export function sail(lanes: readonly Lane[]): Sailing {
  const over = new AbortController();
  const sailing = Promise.all(
    lanes.map(async (lane) => {
      for (let number = 0; !over.signal.aborted; number++) await lane.round(number);
    }),
  );
  sailing.catch(() => undefined); // the caller of `end` gets the failure
  return {
    uploads: () => lanes.reduce((sum, { seen }) => sum + seen.uploads, 0),
    async end() {
      over.abort();
      await sailing;
    },
    async [Symbol.asyncDispose]() {
      over.abort();
      await sailing.catch(() => undefined);
    },
  };
}
