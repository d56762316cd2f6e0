import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { closedPort } from '../../../../tools/shared/tcp.ts';
import { carryOutRemedy, collectFindings, expectTrouble, readRemedy } from '../../../test/findings.ts';
import { toProvider } from '../../../test/providers.ts';
import { startForgingProvider } from '../../../test/servers/forging-provider.ts';
import { makeCertificate } from '../../../test/transports.ts';
import { examineProviders } from './examine.ts';

const examine = (issuer: string) => examineProviders({ providers: [toProvider({ issuer })], timeoutMs: 2_000 });

test('a provider that works, beside one that is down', async () => {
  await using provider = await startForgingProvider();
  const down = toProvider({ id: 'down', issuer: `http://127.0.0.1:${await closedPort()}` });
  const providers = [down, toProvider({ issuer: provider.issuer })];
  const findings = await collectFindings(examineProviders({ providers, timeoutMs: 2_000 }));
  expect(findings).toMatchObject([
    { status: 'fault', check: 'providers.metadata', says: expect.stringContaining('down cannot be used: ') },
    { status: 'ok', check: 'providers.keys', says: expect.stringContaining('staff responds') },
  ]);
});

test('another issuer in the metadata', async () => {
  await using provider = await startForgingProvider();
  let issuer = `${provider.issuer}/`;
  provider.metadata = { issuer: `${provider.issuer}/other` };
  await carryOutRemedy(
    'providers.metadata',
    () => examine(issuer),
    (remedy) => {
      readRemedy(remedy, /(Correct "issuer" in WAYBILL_PROVIDERS_FILE)/);
      ({ issuer } = provider);
      provider.metadata = {};
    },
  );
});

test('ID tokens that are signed with the client’s secret', async () => {
  await using provider = await startForgingProvider();
  provider.metadata = { id_token_signing_alg_values_supported: ['HS256', 'none'] };
  await carryOutRemedy(
    'providers.keys',
    () => examine(provider.issuer),
    (remedy) => {
      readRemedy(remedy, /(Create a signing key \(RSA or elliptic curve\) at the provider, and let it sign ID tokens)/);
      provider.metadata = {};
    },
  );
});

test('a certificate of a private authority is named as the cause', async () => {
  const server = createServer(makeCertificate('127.0.0.1'), (_, response) => response.end());
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const [refused] = await collectFindings(examine(`https://127.0.0.1:${(server.address() as AddressInfo).port}`));
  expect(refused?.remedy).toContain('NODE_EXTRA_CA_CERTS');
});

test('keys that cannot be read, and no keys', async () => {
  await using provider = await startForgingProvider();
  for (const path of ['/token', '/nowhere']) {
    provider.metadata = { jwks_uri: provider.issuer + path };
    await expectTrouble(examine(provider.issuer), 'fault providers.keys');
  }
});
