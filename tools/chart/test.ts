/**
 * Lints and renders the Helm chart with each of its examples, and checks what it renders. Run it as `npm run
 * chart-test`, with the paths of helm and kubectl. kubectl knows the types of Deployments without a cluster: a field
 * that it does not know is gone after it has read one.
 */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [helm = 'helm', kubectl = 'kubectl'] = process.argv.slice(2);
const chart = fileURLToPath(new URL('../../deploy/helm/waybill', import.meta.url));
const examples = readdirSync(`${chart}/examples`);

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Record<string, string>;
  readonly spec?: { readonly template: { readonly spec: PodSpec } };
}

interface PodSpec {
  readonly enableServiceLinks: boolean;
  readonly automountServiceAccountToken: boolean;
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext: object;
  readonly containers: readonly { readonly securityContext: object }[];
}

const run = (program: string, args: readonly string[], input = '') =>
  execFileSync(program, args, { encoding: 'utf8', input, stdio: ['pipe', 'pipe', 'inherit'] });
const renderChart = (...args: string[]) => run(helm, ['template', 'waybill', chart, ...args]);

/** The manifests as they are written, whatever their kind; kubectl prints one JSON value after the other. */
const parseManifests = (yaml: string): Manifest[] =>
  run(kubectl, ['label', '--local', '-f', '-', '-o', 'json', 'a=b'], yaml)
    .split(/^(?=\{$)/m)
    .map((part) => JSON.parse(part) as Manifest);
/** A Deployment as kubectl understands it. */
const readByKubectl = (deployment: Manifest): unknown =>
  JSON.parse(run(kubectl, ['set', 'env', '--local', '-f', '-', '-o', 'json', 'A=b'], JSON.stringify(deployment)));

/** The path of every field that holds something. */
function listFields(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([name, field]) => listFields(field, `${path}/${name}`));
}

function expectRefusal(what: string, reason: RegExp, ...args: string[]): void {
  const { status, stderr } = spawnSync(helm, ['template', 'waybill', chart, ...args], { encoding: 'utf8' });
  ok(status !== 0, `${what} is accepted`);
  match(stderr, reason);
  process.stdout.write(`refused: ${what}\n`);
}

for (const example of examples) {
  const file = `${chart}/examples/${example}`;
  run(helm, ['lint', '--strict', '--quiet', chart, '--values', file]);
  const manifests = parseManifests(renderChart('--values', file));
  const deployments = manifests.filter(({ kind }) => kind === 'Deployment');
  equal(deployments.length, 2);
  equal(manifests.filter(({ kind }) => kind === 'PodDisruptionBudget').length, 2);
  ok(manifests.every(({ kind }) => kind !== 'Secret'));

  for (const deployment of deployments) {
    const known = new Set(listFields(readByKubectl(deployment)));
    deepEqual(
      listFields(deployment).filter((path) => !known.has(path)),
      [],
      `${deployment.metadata.name} has fields that Kubernetes does not know`,
    );
    checkPods(deployment.spec?.template.spec, manifests.find(({ kind }) => kind === 'ConfigMap')?.data ?? {});
  }
  process.stdout.write(`rendered: ${example} (${manifests.map(({ kind }) => kind).join(', ')})\n`);
}

function checkPods(pods: PodSpec | undefined, settings: Record<string, string>): void {
  ok(pods);
  equal(pods.enableServiceLinks, false);
  equal(pods.automountServiceAccountToken, false);
  const stopSeconds = Number(settings['WAYBILL_STOP_DELAY_SECONDS']) + Number(settings['WAYBILL_STOP_SECONDS']);
  ok(pods.terminationGracePeriodSeconds > stopSeconds + 30, 'a pod is killed before its process has stopped');
  match(JSON.stringify(pods.securityContext), /"runAsNonRoot":true.*"seccompProfile":\{"type":"RuntimeDefault"\}/);
  for (const { securityContext } of pods.containers) {
    deepEqual(securityContext, {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  }
}

const given = ['--values', `${chart}/examples/${examples[0]}`];
expectRefusal('no setting at all', /missing properties/, '--set', 'secret.existing=waybill');
expectRefusal(
  'no Secret',
  /secret\.existing is the name/,
  ...given,
  '--set',
  'secret.existing=',
  '--set',
  'secret.external.enabled=false',
);
expectRefusal(
  'a secret as a value',
  /WAYBILL_SMTP_URL/,
  ...given,
  '--set',
  'settings.WAYBILL_SMTP_URL=smtp://user:secret@host',
);
expectRefusal('a misspelt value', /replica/, ...given, '--set', 'serve.replica=3');
const digest = `sha256:${'a'.repeat(64)}`;
match(renderChart(...given, '--set', `image.digest=${digest}`), new RegExp(`image: "waybill@${digest}"`));
// Kubernetes refuses pods with these unless a node allows them, so there are none by default, and only where they help.
const sysctl = { name: 'net.ipv4.tcp_notsent_lowat', value: '32768' };
const withSysctls = (...args: string[]) =>
  parseManifests(renderChart(...given, ...args))
    .filter((manifest) => JSON.stringify(manifest.spec?.template?.spec.securityContext)?.includes('sysctls'))
    .map(({ metadata, spec }) => [metadata.name, spec?.template.spec.securityContext]);
deepEqual(withSysctls(), []);
const [[limited, context] = [], ...more] = withSysctls('--set-json', `serve.sysctls=${JSON.stringify([sysctl])}`);
deepEqual([limited, (context as { sysctls?: unknown }).sysctls, more], ['waybill-serve', [sysctl], []]);
// Another pod is asked for a missing asset, and for nothing else.
const ingresses = parseManifests(renderChart('--values', `${chart}/examples/existing-secret.yaml`)).filter(
  ({ kind }) => kind === 'Ingress',
);
const [retried = '', ...others] = ingresses
  .map((ingress) => JSON.stringify(ingress))
  .filter((text) => text.includes('http_404'));
deepEqual([ingresses.length, others.length], [2, 0]);
match(retried, /proxy-body-size":"0".*"path":"\/assets\/"/);

// Everything that is off by default.
const everything = [
  'privateCa.configMap=our-ca',
  'texts.configMap=our-texts',
  'logo.configMap=our-logo',
  'serviceAccount.name=files',
  'extraEnv[0].name=HTTPS_PROXY',
  'extraEnv[0].value=http://proxy:3128',
  'podAnnotations.a=b',
  'podMonitor.enabled=true',
  'backup.enabled=true',
  'backup.to=s3://backups/a',
  'backup.dayKeys=s3://day-keys/a',
].flatMap((value) => ['--set', value]);
run(helm, ['lint', '--strict', '--quiet', chart, ...given, ...everything]);
const all = parseManifests(renderChart(...given, ...everything));
const backup = all.find(({ kind }) => kind === 'CronJob')?.spec as unknown as {
  jobTemplate: { spec: { template: Manifest['spec'] & { spec: PodSpec } } };
};
const deployed = all.filter(({ kind }) => kind === 'Deployment');
for (const deployment of deployed) {
  const known = new Set(listFields(readByKubectl(deployment)));
  deepEqual(
    listFields(deployment).filter((path) => !known.has(path)),
    [],
  );
}
for (const pods of [...deployed.map(({ spec }) => spec?.template.spec), backup.jobTemplate.spec.template.spec]) {
  const text = JSON.stringify(pods);
  match(text, /"serviceAccountName":"files"/);
  match(text, /"name":"NODE_EXTRA_CA_CERTS","value":"\/etc\/waybill-ca\/ca\.crt"/);
  match(text, /"name":"HTTPS_PROXY","value":"http:\/\/proxy:3128"/);
  for (const name of ['our-ca', 'our-texts', 'our-logo']) match(text, new RegExp(`"configMap":\\{"name":"${name}"\\}`));
  match(text, /"readOnlyRootFilesystem":true/);
}
match(
  JSON.stringify(backup),
  /"args":\["admin","backup","--to","s3:\/\/backups\/a","--day-keys","s3:\/\/day-keys\/a"\]/,
);
match(JSON.stringify(all.find(({ kind }) => kind === 'PodMonitor')), /"port":"probes"/);
deepEqual(
  deployed.map(({ spec }) => (spec as unknown as { strategy: { type?: string } }).strategy.type),
  [undefined, 'Recreate'],
  'old workers must take no jobs of a new version',
);
const { data: settings = {} } = all.find(({ kind }) => kind === 'ConfigMap') ?? {};
equal(settings['WAYBILL_TEXTS_DIR'], '/etc/waybill-texts');
equal(settings['WAYBILL_OPERATOR_LOGO'], '/etc/waybill-logo/logo.svg');
expectRefusal('a backup without a place', /backup\.to is the place/, ...given, '--set', 'backup.enabled=true');
expectRefusal('a setting as an extra variable', /extraEnv/, ...given, '--set', 'extraEnv[0].name=WAYBILL_LISTEN');
process.stdout.write('passed\n');
