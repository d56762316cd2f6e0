import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { afterAll, beforeAll, expect, test } from 'vitest';
import config, { inBrowser } from '../../.dependency-cruiser.mjs';

const project = fileURLToPath(new URL('../../', import.meta.url));

/** For every rule, a file that breaks it: where it is, and what it imports. */
const forbidden: Record<string, [file: string, imports: string]> = {
  'evidence-stands-alone': ['evidence/src/planted.ts', 'node:fs'],
  'protocol-stands-alone': ['protocol/src/planted.ts', 'node:fs'],
  'domain-knows-no-surface-and-no-engine': ['server/src/domain/planted-surface.ts', '../http/server/guard.ts'],
  'domain-uses-no-framework': ['server/src/domain/planted-framework.ts', 'fastify'],
  'domain-does-no-io': ['server/src/domain/planted-io.ts', 'node:fs'],
  'engines-know-only-the-domain': ['server/src/engines/s3/planted-surface.ts', '../../http/server/guard.ts'],
  'engines-do-not-know-each-other': ['server/src/engines/s3/planted-engine.ts', '../clamd/scanner.ts'],
  'surfaces-use-no-engine': ['server/src/jobs/planted-engine.ts', '../engines/clamd/scanner.ts'],
  'jobs-and-commands-know-no-other-surface': ['server/src/jobs/planted-surface.ts', '../http/server/guard.ts'],
  'the-web-knows-no-job-and-no-command': ['server/src/web/planted-job.ts', '../jobs/jobs.ts'],
  'apis-and-pages-do-not-know-each-other': ['server/src/web/planted-api.ts', '../api/machine/authenticate.ts'],
  'http-code-knows-no-surface': ['server/src/http/shared/planted.ts', '../../api/machine/authenticate.ts'],
  'http-code-in-layers': ['server/src/http/transfer/planted.ts', '../server/guard.ts'],
  'only-services-listen': ['server/src/web/planted-listener.ts', '../http/server/guard.ts'],
  'only-assemble-names-engines': ['server/src/planted-engine.ts', './engines/clamd/scanner.ts'],
  'postgres-driver-only-in-its-engine': ['server/src/http/planted-pg.ts', 'pg'],
  'aws-kms-driver-only-in-its-engine': ['server/src/http/planted-kms.ts', '@aws-sdk/client-kms'],
  's3-driver-only-in-its-engine': ['server/src/http/planted-s3.ts', '@aws-sdk/client-s3'],
  'valkey-driver-only-in-its-engine': ['server/src/http/planted-valkey.ts', 'ioredis'],
  'smtp-driver-only-in-its-engine': ['server/src/http/planted-smtp.ts', 'nodemailer'],
  'dsn-driver-only-in-its-engine': ['server/src/http/planted-dsn.ts', 'postal-mime'],
  'pdf-driver-only-in-its-engine': ['server/src/http/planted-pdf.ts', 'pdfkit'],
  'outgoing-driver-only-in-its-engine': ['server/src/http/planted-outgoing.ts', 'undici'],
  'oidc-driver-only-in-its-engine': ['server/src/http/planted-oidc.ts', 'openid-client'],
  'webauthn-driver-only-in-its-engine': ['server/src/http/planted-webauthn.ts', '@simplewebauthn/server'],
  'monitoring-libraries-only-in-observe': ['server/src/http/planted-metrics.ts', 'prom-client'],
  'observe-knows-only-the-domain': ['server/src/observe/planted-surface.ts', '../http/server/guard.ts'],
  'client-stands-alone': ['client/src/planted-server.ts', '../../server/src/http/server/guard.ts'],
  'sdk-does-not-know-the-command': ['client/src/planted-command.ts', 'commander'],
  'acceptance-is-a-black-box': ['acceptance/lib/planted.ts', '../../server/src/config/config.ts'],
  'views-know-only-themselves': [
    'server/src/web/shared/components/planted-surface.ts',
    '../../../http/server/guard.ts',
  ],
  'views-do-not-know-routes': ['server/src/web/app/send/planted-page.tsx', './send-routes.tsx'],
  'views-import-only-types-of-the-domain': [
    'server/src/web/app/send/islands/planted.ts',
    '../../../../domain/policy.ts',
  ],
  'views-do-no-io': ['server/src/present/planted-io.ts', 'node:fs'],
  'mails-and-receipts-know-no-page': ['server/src/present/mails/planted.ts', '../../web/shared/asset-sources.ts'],
  // Reported once, for the first file of the cycle.
  'no-circles': ['server/src/http/planted-circle-back.ts', './planted-circle.ts'],
  'no-unresolvable': ['server/src/http/planted-nowhere.ts', './nowhere.ts'],
  'no-test-code-in-the-program': ['server/src/http/planted-test.ts', './planted.test.ts'],
};

let copy: string;
let found: ICruiseResult;
let loaded: ICruiseResult;

beforeAll(async () => {
  copy = mkdtempSync(join(tmpdir(), 'layers-'));
  for (const folder of ['server/src', 'server/test', 'protocol', 'evidence', 'client/src', 'acceptance', 'tools']) {
    cpSync(join(project, folder), join(copy, folder), { recursive: true });
  }
  for (const file of [
    '.dependency-cruiser.mjs',
    'tsconfig.base.json',
    'server/package.json',
    'server/vite.verifier.ts',
    'client/package.json',
    'package.json',
  ]) {
    cpSync(join(project, file), join(copy, file));
  }
  symlinkSync(join(project, 'node_modules'), join(copy, 'node_modules'));
  plant('server/src/http/planted-circle.ts', './planted-circle-back.ts');
  plant('server/src/http/planted.test.ts', './server/guard.ts');
  for (const [file, imports] of Object.values(forbidden)) plant(file, imports);

  const result = await cruise(
    ['server/src', 'server/test', 'protocol/src', 'evidence/src', 'client/src', 'acceptance', 'tools'],
    { ...config.options, baseDir: copy, ruleSet: { forbidden: config.forbidden }, validate: true } as never,
    config.options.enhancedResolveOptions,
  );
  found = result.output as ICruiseResult;

  plant('server/src/web/shared/planted-between.ts', '../../domain/policy.ts');
  plant('server/src/web/shared/islands/planted-island.ts', '../planted-between.ts');
  const values = await cruise(
    ['server/src/web', 'server/src/present'],
    {
      ...config.options,
      tsPreCompilationDeps: false,
      baseDir: copy,
      ruleSet: { forbidden: [inBrowser] },
      validate: true,
    } as never,
    config.options.enhancedResolveOptions,
  );
  loaded = values.output as ICruiseResult;
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

function plant(file: string, imports: string): void {
  mkdirSync(join(copy, dirname(file)), { recursive: true });
  writeFileSync(join(copy, file), `import * as planted from '${imports}';\nexport const name = planted;\n`);
}

test('every rule has a planted violation', () => {
  expect(Object.keys(forbidden).toSorted()).toEqual(config.forbidden.map((rule) => rule.name).toSorted());
});

test.each(Object.entries(forbidden))('%s catches its planted violation', (rule, [file]) => {
  const caught = found.summary.violations.filter((violation) => violation.rule.name === rule);
  expect(caught.map((violation) => violation.from)).toContain(file);
});

test('nothing but the planted files breaks a rule', () => {
  const planted = new Set(Object.values(forbidden).map(([file]) => file));
  expect(found.summary.violations.filter((violation) => !planted.has(violation.from))).toEqual([]);
});

test('the scripts of pages load nothing but views, however far they lead', () => {
  const islands = loaded.summary.violations.map(({ from }) => from);
  expect([...new Set(islands)].toSorted()).toEqual([
    'server/src/web/app/send/islands/planted.ts',
    'server/src/web/shared/islands/planted-island.ts',
  ]);
});

test('the program was really read', () => {
  // With a compiler it cannot use, the tool reads next to nothing and reports no violations.
  const read = found.modules.filter((module) => /^(?:server|protocol|evidence|client)\/src\//.test(module.source));
  expect(read.length).toBeGreaterThan(90);
});
