import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../server/src/config/config.ts';

const read = (path: string) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');

interface Service {
  image: string;
  build?: string;
  user?: string;
  restart: string;
  read_only: boolean;
  cap_drop: string[];
  cap_add?: string[];
  security_opt: string[];
  mem_limit: string;
  pids_limit: number;
  ports?: string[];
  sysctls?: Record<string, string>;
  environment?: Record<string, string>;
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test?: string[]; disable?: boolean };
}

const { services, volumes } = parse(read('compose.yaml'), { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
};
const named = Object.entries(services);
const endsByItself = new Set(named.filter(([, { restart }]) => restart === 'no').map(([name]) => name));
const dockerfile = read('Dockerfile');
const [, postgres = ''] = /^ARG POSTGRES=(\d+)$/m.exec(dockerfile) ?? [];
const project = JSON.parse(read('package.json')) as { version: string; engines: { node: string } };

/** A setting is complete without the files that the secrets are in. */
function toSettings({ environment = {} }: Service): Record<string, string> {
  const examples: Record<string, string> = {
    WAYBILL_DATABASE_URL: 'postgres://localhost/waybill',
    WAYBILL_S3_SECRET_ACCESS_KEY: 'secret',
    WAYBILL_KEY_PEPPER: Buffer.alloc(32).toString('base64'),
  };
  return Object.fromEntries(
    Object.entries(environment).map(([name, value]) => {
      const setting = name.replace(/_FILE$/, '');
      return setting in examples
        ? [setting, examples[setting] ?? '']
        : [name, value.replace(/\$\{\w+:-(\w+)\}/g, '$1')];
    }),
  );
}

test.each(['serve', 'work', 'setup'])('%s has every setting it needs, and no other', (name) => {
  const config = readConfig(toSettings(services[name] as Service));
  expect(config.WAYBILL_PUBLIC_URL).toBe('http://localhost:8080');
});

test.each(named)('%s is hardened and limited', (_name, service) => {
  expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
  expect(service.mem_limit).toMatch(/^\d+[mg]$/);
  expect(service.pids_limit).toBeGreaterThan(0);
  // The image of waybilld has a user of its own.
  if (service.image !== 'waybill:local') expect(service.user).toMatch(/^(?!0|root).+/);
});

test('only Caddy, whose file has a capability, is allowed one', () => {
  expect(named.filter(([, { cap_add }]) => cap_add).map(([name]) => name)).toEqual(['proxy']);
});

test.each(named)('%s is checked, unless it ends by itself', (name, { healthcheck }) => {
  if (endsByItself.has(name)) expect(healthcheck).toEqual({ disable: true });
  else expect(healthcheck?.test?.length).toBeGreaterThan(1);
});

test('a dependency is waited for until it is healthy or has ended well', () => {
  for (const [, { depends_on = {} }] of named) {
    for (const [name, { condition }] of Object.entries(depends_on)) {
      expect([name, condition]).toEqual([
        name,
        endsByItself.has(name) ? 'service_completed_successfully' : 'service_healthy',
      ]);
    }
  }
});

test('every image is pinned to a version', () => {
  const images = [...new Set(named.map(([, { image }]) => image)), ...(dockerfile.match(/(?<=^FROM )\S+/gm) ?? [])];
  const pulled = images.filter((image) => !['waybill:local', 'scratch'].includes(image));
  expect(pulled.length).toBeGreaterThan(6);
  for (const image of pulled) {
    const [, version = ''] = /^docker\.io\/\w+\/\w+:(.+)/.exec(image) ?? [];
    expect(version.replace('${POSTGRES}', postgres), image).toMatch(/^v?\d/);
  }
});

test('what sends to clients leaves little in the buffers of the kernel', () => {
  const limited = named.filter(([, { sysctls }]) => sysctls?.['net.ipv4.tcp_notsent_lowat'] === '32768');
  expect(limited.map(([name]) => name)).toEqual(['proxy', 'serve']);
});

test('ports are open to this machine only', () => {
  const ports = named.flatMap(([, service]) => service.ports ?? []);
  expect(ports.length).toBe(3);
  for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
});

test('secrets are in a volume, not in the file', () => {
  expect(Object.keys(volumes)).toContain('secrets');
  for (const [name, { environment = {} }] of named) {
    const secret = /PASSWORD|SECRET|PEPPER|API_KEY|DATABASE_URL/;
    const given = Object.entries(environment).filter(
      ([key, value]) => secret.test(key) && !value.startsWith('/etc/waybill/'),
    );
    expect([name, given]).toEqual([name, []]);
  }
});

test('the image has the tools of the PostgreSQL that compose.yaml starts, or of a later one', () => {
  const [, server = ''] = /:(\d+)/.exec(services['postgres']?.image ?? '') ?? [];
  expect(Number(postgres)).toBeGreaterThanOrEqual(Number(server));
});

test('the image has the Node and the version of package.json', () => {
  const [, major] = /^FROM docker\.io\/library\/node:(\d+)-/m.exec(dockerfile) ?? [];
  expect(project.engines.node).toMatch(new RegExp(`(?:^|[^\\d])${major}\\.`));
  expect(dockerfile).toContain(`ARG VERSION=${project.version}\n`);
});

test('the image runs waybilld without root and without a shell', () => {
  const last = dockerfile.split(/^FROM /m).at(-1) ?? '';
  expect(last).toMatch(/^scratch\n/);
  expect(last).toMatch(/^USER 10001:10001$/m);
  for (const [, form] of last.matchAll(/^(?:ENTRYPOINT|CMD|HEALTHCHECK .*CMD) (.)/gm)) expect(form).toBe('[');
  expect(last).not.toMatch(/^RUN /m);
});
