/**
 * The layers of ARCHITECTURE.md, enforced:
 *
 *   api, web, jobs, admin → domain ← engines      services → assemble → engines      protocol at the bottom
 *   http at the bottom of api and web; web → present: views know only themselves and types of the domain
 *   client: alone, and its SDK does not know its command
 *
 * tools/check/layers.test.ts plants a forbidden import for every rule here and expects it to be caught.
 */
const drivers = {
  postgres: ['pg', 'kysely', 'graphile-worker'],
  'aws-kms': ['@aws-sdk/client-kms'],
  s3: ['@aws-sdk/client-s3'],
  valkey: ['ioredis', 'rate-limiter-flexible'],
  smtp: ['nodemailer'],
  dsn: ['postal-mime'],
  pdf: ['pdfkit'],
  outgoing: ['undici'],
  webauthn: ['@simplewebauthn/server'],
  oidc: ['openid-client', 'jose'],
};
const packagePath = (name) => `node_modules/${name}/`;
/** Tests stand next to the code and reach for what they need; the program never reaches for them. */
const tests = ['\\.test\\.ts$', '^server/test/', '^(?:client|evidence)/src/testing/'];

/** Pages, mails and receipts, in contrast to the routes that return them. */
const views = {
  path: '^server/src/(?:present/|web/.*(?:/(?:components|islands)/|\\.tsx$))',
  pathNot: [...tests, '^server/src/web/.*(?:routes|/(?:register|confirm|problem-page|reply-with-[a-z-]+))\\.tsx$'],
};

/** The modules that the scripts of pages may load, also through others. Types are not followed: they are not loaded. */
export const inBrowser = {
  name: 'islands-reach-only-views',
  severity: 'error',
  from: { path: '^server/src/web/.*islands/', pathNot: tests },
  to: { path: ['^server/src/(?!web/|present/)', '^server/src/web/.*routes\\.tsx?$'], reachable: true },
};

export default {
  forbidden: [
    {
      name: 'protocol-stands-alone',
      comment: 'The wire knows nobody: no I/O, no server.',
      severity: 'error',
      from: { path: '^protocol/src', pathNot: tests },
      to: { pathNot: ['^protocol/src', packagePath('typebox')] },
    },
    {
      name: 'evidence-stands-alone',
      comment: 'It runs in the server, in the command and in a browser, and is published without them.',
      severity: 'error',
      from: { path: '^evidence/src', pathNot: tests },
      to: { pathNot: ['^evidence/src', packagePath('@noble')] },
    },
    {
      name: 'domain-knows-no-surface-and-no-engine',
      severity: 'error',
      from: { path: '^server/src/domain', pathNot: tests },
      to: { path: '^server/src/(?!domain)' },
    },
    {
      name: 'domain-uses-no-framework',
      comment:
        'The rules of the product are plain TypeScript. These two packages are pure: they parse mail and IP addresses.',
      severity: 'error',
      from: { path: '^server/src/domain', pathNot: tests },
      to: { path: 'node_modules/', pathNot: [packagePath('validator'), packagePath('ipaddr.js')] },
    },
    {
      name: 'domain-does-no-io',
      severity: 'error',
      from: { path: '^server/src/domain', pathNot: tests },
      to: { dependencyTypes: ['core'], pathNot: ['^(?:node:)?(?:crypto|stream|timers/promises|url|util|zlib)$'] },
    },
    {
      name: 'engines-know-only-the-domain',
      severity: 'error',
      from: { path: '^server/src/engines', pathNot: tests },
      to: { path: '^server/src/(?!engines|domain)' },
    },
    {
      name: 'engines-do-not-know-each-other',
      severity: 'error',
      from: { path: '^server/src/engines/([^/]+)/' },
      to: { path: '^server/src/engines/', pathNot: '^server/src/engines/$1/' },
    },
    {
      name: 'surfaces-use-no-engine',
      severity: 'error',
      from: { path: '^server/src/(?:http|api|web|present|jobs|admin)/' },
      to: { path: '^server/src/engines' },
    },
    {
      name: 'jobs-and-commands-know-no-other-surface',
      severity: 'error',
      from: { path: '^server/src/(jobs|admin)/' },
      to: { path: '^server/src/(?:http|api|web|jobs|admin)/', pathNot: '^server/src/$1/' },
    },
    {
      name: 'the-web-knows-no-job-and-no-command',
      severity: 'error',
      from: { path: '^server/src/(?:http|api|web|present)/' },
      to: { path: '^server/src/(?:jobs|admin)/' },
    },
    {
      name: 'apis-and-pages-do-not-know-each-other',
      comment: 'The reference is a page about the APIs, made from their tables of routes.',
      severity: 'error',
      from: {
        path: '^server/src/(api/(?:machine|v1|log)|web|http/probes)/',
        pathNot: [...tests, '^server/src/web/reference/'],
      },
      to: { path: '^server/src/(?:api/(?:machine|v1|log)|web|http/probes)/', pathNot: '^server/src/$1/' },
    },
    {
      name: 'http-code-knows-no-surface',
      comment: 'A surface passes in whatever only it knows, and the service puts them together.',
      severity: 'error',
      from: { path: '^server/src/(?:http|api/shared)/', pathNot: tests },
      to: { path: '^server/src/(?:api/(?!shared/)|web/)' },
    },
    {
      name: 'http-code-in-layers',
      severity: 'error',
      from: { path: '^server/src/http/(?:shared|transfer)/', pathNot: tests },
      to: { path: '^server/src/http/(?:server|probes)/' },
    },
    {
      name: 'only-services-listen',
      comment: 'TLS, the guard and the end of connections surround the surfaces, which do not know them.',
      severity: 'error',
      from: { path: '^server/src/(?!http/server/|services/|assemble/)', pathNot: tests },
      to: { path: '^server/src/http/server/' },
    },
    {
      name: 'only-assemble-names-engines',
      severity: 'error',
      from: {
        path: '^server/src/(?!assemble/|engines)',
        pathNot: tests,
      },
      to: { path: '^server/src/engines' },
    },
    {
      name: 'views-know-only-themselves',
      comment: 'A page or a mail is a function of its properties: it asks nobody.',
      severity: 'error',
      from: views,
      to: { path: '^server/src/(?!web|present|domain)' },
    },
    {
      name: 'views-do-not-know-routes',
      severity: 'error',
      from: views,
      to: { path: '^server/src/web/.*routes\\.tsx?$' },
    },
    {
      name: 'views-import-only-types-of-the-domain',
      severity: 'error',
      from: views,
      to: { path: '^server/src/domain', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'views-do-no-io',
      comment: 'Only the texts are read from files, once.',
      severity: 'error',
      from: { ...views, pathNot: [...views.pathNot, '^server/src/present/texts/translator\\.ts$'] },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'mails-and-receipts-know-no-page',
      severity: 'error',
      from: { path: '^server/src/present/', pathNot: tests },
      to: { path: '^server/src/web/' },
    },
    ...Object.entries(drivers).map(([engine, packages]) => ({
      name: `${engine}-driver-only-in-its-engine`,
      severity: 'error',
      from: { path: '^server/src', pathNot: [`^server/src/engines/${engine}/`] },
      to: { path: packages.map(packagePath) },
    })),
    {
      name: 'monitoring-libraries-only-in-observe',
      comment: 'What is measured does not know how.',
      severity: 'error',
      from: { path: '^server/src', pathNot: ['^server/src/observe/'] },
      to: { path: [packagePath('prom-client'), packagePath('@opentelemetry')] },
    },
    {
      name: 'observe-knows-only-the-domain',
      severity: 'error',
      from: { path: '^server/src/observe', pathNot: tests },
      to: { path: '^server/src/(?!observe|domain)' },
    },
    {
      name: 'client-stands-alone',
      comment: 'It is published without the server and without the protocol, whose types are generated into it.',
      severity: 'error',
      from: { path: '^client/src' },
      to: { path: '^(?!client/src)(?:server|protocol|acceptance|tools)/' },
    },
    {
      name: 'sdk-does-not-know-the-command',
      severity: 'error',
      from: { path: '^client/src/(?!command)', pathNot: tests },
      to: { path: ['^client/src/command', packagePath('commander')] },
    },
    {
      name: 'acceptance-is-a-black-box',
      severity: 'error',
      from: { path: '^acceptance' },
      to: { path: '^(?:server|protocol)/' },
    },
    {
      name: 'no-circles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-test-code-in-the-program',
      severity: 'error',
      from: { path: '^(?:server|client|evidence)/src', pathNot: tests },
      to: { path: tests },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['^(?:server|protocol|evidence|client|client/cjs)/dist/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.mjs'],
    },
  },
};
