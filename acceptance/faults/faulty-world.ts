/**
 * A complete Waybill on its own engines, with a proxy in front of each: two `serve` processes, a worker, and every
 * fault that can be injected into them. It shares only the mail server with others, whose only fault is that bytes are
 * lost on the way to it.
 */
import type { IncomingMessage } from 'node:http';
import { demoEnvironment } from '../../tools/demo/environment.ts';
import { closedPort } from '../../tools/shared/tcp.ts';
import type { Conduct } from '../checker/conduct.ts';
import { laneSettings } from '../checker/lane.ts';
import { type Fate, type HttpProxy, httpProxy } from '../lib/http/http-proxy.ts';
import { TcpProxy } from '../lib/http/tcp-proxy.ts';
import { OwnClamd, OwnGateway, OwnPostgres, OwnRedis, signal } from '../lib/servers/own-engines.ts';
import { type OwnExchange, ownExchange } from '../lib/servers/own-exchange.ts';
import { type OwnProcess } from '../lib/servers/own-serve.ts';

interface Role {
  readonly name: string;
  process: OwnProcess;
  readonly start: () => Promise<OwnProcess>;
}

export class FaultyWorld implements AsyncDisposable {
  readonly #disposables = new AsyncDisposableStack();
  readonly #ended: Conduct[] = [];
  readonly postgres: OwnPostgres;
  readonly redis: OwnRedis;
  readonly gateway: OwnGateway;
  readonly clamd: OwnClamd;
  /** In front of each engine, by its name. */
  readonly ways: Record<'postgres' | 'redis' | 's3' | 'clamd' | 'smtp', TcpProxy>;
  readonly exchange: OwnExchange;
  readonly serveUrls: string[] = [];
  readonly #roles: Role[] = [];
  #s3Fate: (request: IncomingMessage) => Fate = () => 'pass';
  readonly s3: HttpProxy;

  private constructor(made: {
    engines: [OwnPostgres, OwnRedis, OwnGateway, OwnClamd];
    ways: FaultyWorld['ways'];
    s3: (choose: (request: IncomingMessage) => Fate) => HttpProxy;
    exchange: OwnExchange;
  }) {
    [this.postgres, this.redis, this.gateway, this.clamd] = made.engines;
    this.ways = made.ways;
    this.s3 = made.s3((request) => this.#s3Fate(request));
    this.exchange = made.exchange;
  }

  static async start(settings: Record<string, string> = {}): Promise<FaultyWorld> {
    const stack = new AsyncDisposableStack();
    try {
      const engines = await Promise.all([OwnPostgres.start(), OwnRedis.start(), OwnGateway.start(), OwnClamd.start()]);
      for (const engine of engines) stack.use(engine);
      const [postgres, redis, gateway, clamd] = engines;
      let choose: (request: IncomingMessage) => Fate = () => 'pass';
      const s3 = stack.use(await httpProxy('s3', gateway.url, (request) => choose(request)));
      const smtp = new URL(demoEnvironment()['WAYBILL_SMTP_URL'] ?? '');
      const before = async (port: number) => stack.use(await TcpProxy.before({ host: '127.0.0.1', port }));
      const ways = {
        postgres: await before(postgres.port),
        redis: await before(redis.port),
        s3: await before(s3.port),
        clamd: await before(clamd.port),
        smtp: await before(Number(smtp.port)),
      };
      const listens = [await closedPort(), await closedPort()];
      const exchange = stack.use(
        await ownExchange({
          databaseServer: postgres.url,
          through: (url) => ways.postgres.through(url),
          settings: {
            WAYBILL_REDIS_URL: ways.redis.through(redis.url),
            WAYBILL_S3_ENDPOINT: `http://${ways.s3.address}`,
            WAYBILL_CLAMD: ways.clamd.address,
            WAYBILL_SMTP_URL: ways.smtp.through(smtp.href),
            ...laneSettings,
            WAYBILL_LISTEN: `127.0.0.1:${listens[0]}`,
            ...settings,
          },
        }),
      );
      const world = new FaultyWorld({
        engines,
        ways,
        exchange,
        s3(chosen) {
          choose = chosen;
          return s3;
        },
      });
      await world.#staff(listens[1] ?? 0);
      world.#disposables.use(stack.move());
      return world;
    } catch (error) {
      await stack.disposeAsync();
      throw error;
    }
  }

  async #staff(secondPort: number): Promise<void> {
    const { exchange } = this;
    const second = { WAYBILL_LISTEN: `127.0.0.1:${secondPort}` };
    this.#roles.push(
      { name: 'serve 1', process: exchange.first, start: () => exchange.serve() },
      { name: 'serve 2', process: await exchange.serve(second), start: () => exchange.serve(second) },
      { name: 'worker', process: await exchange.work(), start: () => exchange.work() },
    );
    this.serveUrls.push(exchange.baseUrl, `http://${second.WAYBILL_LISTEN}`);
  }

  set s3Fate(choose: (request: IncomingMessage) => Fate) {
    this.#s3Fate = choose;
  }

  #role(name: string): Role {
    const role = this.#roles.find((candidate) => candidate.name === name);
    if (!role) throw new Error(`nobody is ${name}`);
    return role;
  }

  pid(name: string): number {
    return this.#role(name).process.pid;
  }

  /** Kills a process (SIGKILL), and starts a new one in its place. */
  async replace(name: string): Promise<void> {
    const role = this.#role(name);
    await role.process.kill();
    this.#ended.push({ process: role.process, name, endedBy: 'SIGKILL' });
    role.process = await role.start();
  }

  /** Every process that was ever here, for the checker. */
  get conducts(): Conduct[] {
    return [...this.#ended, ...this.#roles.map(({ process, name }) => ({ process, name }))];
  }

  /** Terminates backends of the program, those inside a transaction first, as an administrator would. */
  async terminateBackends(count: number): Promise<number> {
    const ended = await this.exchange.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name in ('waybill serve', 'waybill work') order by xact_start nulls last limit $1`,
      [count],
    );
    return ended.length;
  }

  /** Ends every fault that is still active. */
  async heal(): Promise<void> {
    for (const way of Object.values(this.ways)) way.fault = 'pass';
    this.s3Fate = () => 'pass';
    for (const engine of [this.postgres, this.redis, this.gateway, this.clamd]) {
      if (engine.runs) engine.thaw();
      await engine.start();
    }
    for (const { process: running } of this.#roles) signal(running.pid, 'SIGCONT');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.heal();
    await this.#disposables.disposeAsync();
  }
}
