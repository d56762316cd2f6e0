import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import type { ProxyPlace } from '../../../../tools/shared/shipped-proxies.ts';
import { closedPort } from '../../../../tools/shared/tcp.ts';
import { type Behind, examineBehind, examinePublic, nothingWrong, startServe } from '../../../test/examine-behind.ts';
import { carryOutRemedy, expectTrouble, readRemedy } from '../../../test/findings.ts';
import { makeCertificate } from '../../../test/transports.ts';
import type { Certificate } from '../../http/server/tls.ts';

interface Setup extends Behind {
  /** In Caddy's site, before everything is forwarded. */
  readonly site?: string;
  /** In Caddy's reverse_proxy. */
  readonly proxy?: string;
}

function caddy({ site = '', proxy = '' }: Setup) {
  return ({ folder, port, backend }: ProxyPlace): [string, ...string[]] => {
    const file = join(folder, 'Caddyfile');
    const global = '{\n  admin off\n  auto_https off\n}\n';
    writeFileSync(file, `${global}http://127.0.0.1:${port} {\n${site}\nreverse_proxy ${backend} {\n${proxy}\n}\n}\n`);
    const home = [`XDG_CONFIG_HOME=${folder}`, `XDG_DATA_HOME=${folder}`];
    return ['env', ...home, 'caddy', 'run', '--config', file, '--adapter', 'caddyfile'];
  };
}

test('nothing is wrong behind a proxy that is set up well', async () => {
  const findings = await examineBehind(caddy({}));
  expect(findings.map(({ status, check }) => `${status} ${check}`)).toEqual(nothingWrong);
});

test('nothing is wrong without a proxy', async () => {
  // The server also responds at the address that it listens on.
  await using serve = await startServe({ publicUrl: 'http://127.0.0.1' });
  const findings = await examinePublic(`http://127.0.0.1:${serve.port}`);
  expect(new Set(findings.map(({ status }) => status))).toEqual(new Set(['ok']));
});

test.each<[what: string, certificate: Certificate, trusted: boolean, ...expected: string[]]>([
  ['is accepted', makeCertificate('localhost', { days: 90 }), true],
  ['expires soon', makeCertificate('localhost', { days: 13 }), true, 'warning proxy.certificate'],
  ['has expired', makeCertificate('localhost', { from: '-3d' }), true, 'fault proxy.certificate'],
  ['is for another name', makeCertificate('files.example.org'), true, 'fault proxy.certificate'],
  ['nobody vouches for', makeCertificate(), false, 'fault proxy.certificate'],
])('a certificate that %s', async (_what, certificate, trusted, ...expected) => {
  const usual = getCACertificates();
  onTestFinished(() => setDefaultCACertificates(usual));
  if (trusted) setDefaultCACertificates([...usual, certificate.cert]);
  const port = await closedPort();
  const publicUrl = `https://localhost:${port}`;
  await using _ = await startServe({ publicUrl, certificate }, port);
  await expectTrouble(Readable.from(await examinePublic(publicUrl)), ...expected);
});

test('nobody responds, until `serve` is started', async () => {
  const port = await closedPort();
  const publicUrl = `http://127.0.0.1:${port}`;
  await using started = new AsyncDisposableStack();
  await carryOutRemedy(
    'proxy.reachable',
    () => examinePublic(publicUrl),
    async (remedy) => {
      readRemedy(remedy, /(Start the proxy and `serve`)/);
      started.use(await startServe({ publicUrl }, port));
    },
  );
});

test.each<[what: string, setup: Setup, ...expected: string[]]>([
  ['a redirect', { site: 'redir https://files.example.org{uri}' }, 'fault proxy.reachable'],
  ['something else', { site: 'respond /doctor "hello" 204' }, 'fault proxy.reachable'],
  ['another pepper', { examination: { pepper: randomBytes(32) } }, 'fault proxy.serve'],
  ['a clock that is wrong', { examination: { now: () => Date.now() - 3_600_000 } }, 'fault proxy.serve'],
  ['a proxy that is not trusted', { trusted: [] }, 'fault proxy.client'],
  [
    'a proxy that believes what a client says',
    { proxy: 'header_up X-Forwarded-For {http.request.header.X-Forwarded-For}' },
    'fault proxy.client',
  ],
  ['a proxy that hides its clients', { proxy: 'header_up -X-Forwarded-For' }, 'fault proxy.client'],
])('%s', async (_what, setup, ...expected) => {
  await expectTrouble(Readable.from(await examineBehind(caddy(setup), setup)), ...expected);
});

test('what the remedies change in the settings of the proxy helps', async () => {
  let setup: Setup = { site: 'reverse_proxy /doctor 127.0.0.1:9' };
  const examine = () => examineBehind(caddy(setup), setup);
  const change = (pattern: RegExp) => (remedy: string) => {
    readRemedy(remedy, pattern);
    setup = {};
  };
  await carryOutRemedy('proxy.serve', examine, change(/(compare WAYBILL_LISTEN with the address) in the proxy’s/));
  setup = { proxy: 'header_up Host files.internal' };
  await carryOutRemedy('proxy.host', examine, change(/(Have the proxy forward Host unchanged)/));
  setup = { site: '@large header_regexp Content-Length ^[0-9]{8,}$\nrespond @large 413' };
  await carryOutRemedy('proxy.size', examine, change(/(Remove its limit)/));
  const turnOff = (remedy: string) => {
    const named = readRemedy(remedy, /no (\w+) or .* in Caddy/);
    setup = { proxy: setup.proxy?.replace(named, '') ?? '' };
  };
  setup = { proxy: 'buffer_requests\nbuffer_responses' };
  await carryOutRemedy('proxy.uploads', examine, turnOff, 'proxy.downloads');
  await carryOutRemedy('proxy.downloads', examine, turnOff);
});
