/**
 * Runs the chart's Deployments with podman, on the engines of this machine. podman does not do three things as a
 * kubelet does, so this test does them in its place:
 *
 * - It asks the probes itself; podman would run curl inside the container, which has none.
 * - It mounts the Secret as a folder whose files have the mode and the group that the manifest asks for; podman 4.3
 *   neither decodes a Secret's values nor sets their mode.
 * - It chooses the ports of this machine by which it reaches the pods.
 */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { Waybill } from '../../client/src/index.ts';
import { createEmptyDatabase } from '../../server/test/database.ts';
import { engineAddresses } from '../../server/test/engine-addresses.ts';
import { createEmptyBucket } from '../../server/test/object-store.ts';
import { closedPort } from '../shared/tcp.ts';
import { Podman } from './podman.ts';

interface Probe {
  httpGet: { path: string; port: string };
  periodSeconds: number;
  failureThreshold?: number;
}
interface Container {
  name: string;
  ports: { name: string; hostPort?: number; hostIP?: string }[];
  startupProbe?: Probe;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
}
interface Volume {
  secret?: { defaultMode: number };
  hostPath?: { path: string };
}
interface Deployment {
  kind: string;
  spec: { template: { spec: { securityContext: { fsGroup: number }; containers: [Container]; volumes: [Volume] } } };
}

const { HELM = 'helm', WAYBILL_IMAGE = '' } = process.env;
const chart = fileURLToPath(new URL('../../deploy/helm/waybill', import.meta.url));
const own = new AsyncDisposableStack();
let podman: Podman;
let deployments: Deployment[];
/** The address of each port, such as `serve http`. */
const addresses = new Map<string, string>();

const getContainer = (deployment: Deployment) => deployment.spec.template.spec.containers[0];

beforeAll(async () => {
  podman = own.use(new Podman());
  const database = own.use(await createEmptyDatabase());
  const bucket = own.use(await createEmptyBucket());
  const [repository = '', tag = ''] = (await podman.start(WAYBILL_IMAGE)).split(/:(?=[^:]*$)/);
  /** The address of an engine, as pods reach it. */
  const reached = async (address: string) => {
    const [, port = ''] = /127\.0\.0\.1:(\d+)/.exec(address) ?? [];
    return address.replace(`127.0.0.1:${port}`, await podman.reach(Number(port)));
  };
  const publicPort = await closedPort();
  const values = {
    image: { repository, tag, pullPolicy: 'Never' },
    serve: { replicas: 1 },
    work: { replicas: 1 },
    secret: { existing: 'waybill' },
    settings: {
      WAYBILL_PUBLIC_URL: `http://127.0.0.1:${publicPort}`,
      WAYBILL_S3_ENDPOINT: await reached(engineAddresses.s3.endpoint),
      WAYBILL_S3_BUCKET: bucket.name,
      WAYBILL_S3_ACCESS_KEY_ID: engineAddresses.s3.accessKeyId,
      WAYBILL_CLAMD: await reached(engineAddresses.clamd),
      WAYBILL_MAIL_FROM: 'waybill@example.org',
    },
  };
  const secrets = {
    'database-url': await reached(database.url),
    'redis-url': await reached(engineAddresses.valkey),
    's3-secret': engineAddresses.s3.secretAccessKey,
    'smtp-url': `${await reached(engineAddresses.smtp)}?ignoreTLS=true`,
    'master-keys': `1:${randomBytes(32).toString('base64')}`,
    'key-pepper': randomBytes(32).toString('base64'),
  };
  const valuesFile = join(podman.folder, 'values.json');
  writeFileSync(valuesFile, JSON.stringify(values));
  const rendered = execFileSync(HELM, ['template', 'waybill', chart, '--values', valuesFile], { encoding: 'utf8' });
  const manifests = parseAllDocuments(rendered).map((document) => document.toJS() as Deployment);
  deployments = manifests.filter(({ kind }) => kind === 'Deployment');
  const adapted = structuredClone(deployments);
  for (const deployment of adapted) await adapt(deployment, secrets, publicPort);
  await podman.play([...manifests.filter(({ kind }) => kind === 'ConfigMap'), ...adapted]);
});
afterAll(() => own.disposeAsync());

async function adapt(deployment: Deployment, secrets: Record<string, string>, publicPort: number): Promise<void> {
  const { securityContext, volumes } = deployment.spec.template.spec;
  const container = getContainer(deployment);
  for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const) delete container[probe];
  for (const port of container.ports) {
    port.hostIP = '127.0.0.1';
    port.hostPort = port.name === 'http' ? publicPort : await closedPort();
    addresses.set(`${container.name} ${port.name}`, `http://127.0.0.1:${port.hostPort}`);
  }
  const [volume] = volumes;
  const folder = join(podman.folder, `secrets-${container.name}`);
  mkdirSync(folder);
  for (const [name, value] of Object.entries(secrets)) {
    writeFileSync(join(folder, name), value, { mode: volume.secret?.defaultMode });
    chownSync(join(folder, name), 0, securityContext.fsGroup);
  }
  delete volume.secret;
  volume.hostPath = { path: folder };
}

const running = async (role: string) => await podman.run('ps', '--filter', `name=-${role}$`, '--format', '{{.Names}}');

test('two Deployments run, and every probe gets a response within its time', async () => {
  expect(deployments.map((deployment) => getContainer(deployment).name)).toEqual(['serve', 'work']);
  for (const deployment of deployments) {
    const { name, startupProbe, livenessProbe, readinessProbe } = getContainer(deployment);
    for (const probe of [startupProbe, livenessProbe, readinessProbe]) {
      if (!probe) continue;
      const url = `${addresses.get(`${name} ${probe.httpGet.port}`)}${probe.httpGet.path}`;
      // A kubelet asks for readiness as long as it takes; all others only so often.
      const timeout = 1000 * probe.periodSeconds * (probe === readinessProbe ? 30 : (probe.failureThreshold ?? 3));
      await vi.waitFor(async () => expect((await fetch(url)).status).toBe(200), { timeout, interval: 500 });
    }
  }
});

test('a container runs as the chart says', async () => {
  for (const role of ['serve', 'work']) {
    const [{ Config, HostConfig, BoundingCaps }] = JSON.parse(await podman.run('inspect', await running(role))) as [
      {
        Config: { User: string };
        HostConfig: { ReadonlyRootfs: boolean; SecurityOpt: string[]; Memory: number };
        BoundingCaps: string[] | null;
      },
    ];
    expect(Config.User).toBe('10001:10001');
    expect(BoundingCaps ?? []).toEqual([]);
    expect(HostConfig).toMatchObject({ ReadonlyRootfs: true, Memory: 1024 ** 3 });
    expect(HostConfig.SecurityOpt).toContain('no-new-privileges');
  }
});

/** Creates an account with `waybilld` in the pod, and uses it from this machine. */
async function newAccount(user: string): Promise<Waybill> {
  const creating = ['admin', 'accounts', 'create', '--email', user, '--phone', '46700000001', '--json'];
  const waybilld = ['node', '/srv/waybill/server/dist/main.js'];
  const printed = await podman.run('exec', await running('serve'), ...waybilld, ...creating);
  const { api_key: apiKey } = JSON.parse(printed) as { api_key: string };
  return new Waybill({ baseUrl: addresses.get('serve http') ?? '', user, apiKey });
}

test('a file is sent and received', async () => {
  const [orders, archive] = [await newAccount('orders@example.org'), await newAccount('archive@example.org')];
  const content = randomBytes(10_000_000);
  await orders.send({ files: [{ name: 'report.bin', content }], to: ['archive@example.org'] });
  const received: Buffer[] = [];
  for await (const { id: entry } of archive.inbox.list()) {
    for (const file of (await archive.inbox.get(entry)).files) {
      received.push(await buffer((await archive.download({ ...file, entry })).bytes));
    }
  }
  expect(received.map((bytes) => bytes.equals(content))).toEqual([true]);
});
