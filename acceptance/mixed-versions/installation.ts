import { createAccount } from '../../tools/demo/fresh.ts';
import { closedPort } from '../../tools/shared/tcp.ts';
import { uniqueAddress } from '../lib/accounts.ts';
import { Client } from '../lib/http/client.ts';
import { type Backend, deployedProxy } from '../lib/servers/deployed-proxy.ts';
import { type OwnProcess, ownServe, ownWorker, type Program } from '../lib/servers/own-serve.ts';

/** A `work` process, and two `serve` processes behind HAProxy, that are replaced as docs/upgrading.md describes. */
export class Installation implements AsyncDisposable {
  readonly baseUrl: string;
  readonly #program: Program;
  readonly #backends: readonly [Backend, Backend];
  readonly #running = new Map<Backend | 'work', OwnProcess>();
  readonly #proxy: AsyncDisposable;

  private constructor(program: Program, backends: readonly [Backend, Backend], proxy: Proxy) {
    this.#program = program;
    this.#backends = backends;
    this.#proxy = proxy;
    this.baseUrl = proxy.baseUrl;
  }

  static async start(program: Program): Promise<Installation> {
    const backends = [await freeBackend(), await freeBackend()] as const;
    const installation = new Installation(program, backends, await deployedProxy(backends));
    try {
      await Promise.all([
        installation.replaceWork(program),
        ...([0, 1] as const).map((place) => installation.replaceServe(place, program)),
      ]);
    } catch (error) {
      await installation[Symbol.asyncDispose]();
      throw error;
    }
    return installation;
  }

  async replaceWork(program: Program): Promise<void> {
    await this.#replace('work', () => ownWorker({}, program));
  }

  async replaceServe(place: 0 | 1, program: Program): Promise<void> {
    const backend = this.#backends[place];
    await this.#replace(backend, () =>
      ownServe(
        {
          WAYBILL_LISTEN: backend.address,
          WAYBILL_PROBES_LISTEN: `127.0.0.1:${backend.probesPort}`,
          WAYBILL_TRUSTED_PROXIES: '127.0.0.1',
          WAYBILL_STOP_DELAY_SECONDS: '6',
          WAYBILL_STOP_SECONDS: '600',
        },
        program,
      ),
    );
  }

  /** Like `systemctl restart`: the old process ends, which takes as long as its transfers, before the new one starts. */
  async #replace(role: Backend | 'work', start: () => Promise<OwnProcess>): Promise<void> {
    await this.#running.get(role)?.stop();
    this.#running.set(role, await start());
  }

  /** A client with an account that the first version made. */
  async client(label: string): Promise<Client> {
    const [email, number] = [uniqueAddress(label), '46700000001'];
    const { api_key: apiKey } = await createAccount(this.#program, { email, number });
    return new Client({ user: email, apiKey, number }, { baseUrl: this.baseUrl });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#running.values()].map((process) => process.stop()));
    await this.#proxy[Symbol.asyncDispose]();
  }
}

type Proxy = Awaited<ReturnType<typeof deployedProxy>>;

async function freeBackend(): Promise<Backend> {
  return { address: `127.0.0.1:${await closedPort()}`, probesPort: await closedPort() };
}
