import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { closedPort } from '../../../tools/shared/tcp.ts';
import { startDaemon } from './own-daemon.ts';
import { openBrowser, type ProviderBrowser } from './provider-browser.ts';

/** Where tools/setup unpacks it. */
const unpacked = fileURLToPath(new URL('../../../.tools/lemonldap', import.meta.url));

export interface LemonLdapClient {
  readonly id: string;
  readonly secret: string;
  readonly redirectUri: string;
  /** How its ID tokens are signed. */
  readonly algorithm: 'RS256' | 'HS256' | 'none';
}

/** The portal loads this module at its start, and the real one needs ImageMagick. */
const noCaptcha = `package NoCaptcha;
use Mouse;
extends 'Lemonldap::NG::Common::Module';
sub init { 1 }
1;
`;

/**
 * LemonLDAP::NG for one test, with its demonstration users: `rtyler` and `msmith` in the groups `earthlings` and `users`,
 * `dwho` in `timelords` and `users`. Passwords are the names.
 */
export async function startLemonLdap(
  clients: readonly LemonLdapClient[],
): Promise<{ readonly issuer: string; openBrowser(): ProviderBrowser } & AsyncDisposable> {
  if (!existsSync(unpacked)) throw new Error('LemonLDAP::NG is missing. What helps: tools/setup.');
  const port = await closedPort();
  const issuer = `http://127.0.0.1:${port}/`;
  const folder = mkdtempSync(join(tmpdir(), 'waybill-lemonldap-'));
  for (const name of ['conf', 'lib', 'sessions/lock', 'persistent/lock', 'cache']) {
    mkdirSync(join(folder, name), { recursive: true });
  }
  writeFileSync(join(folder, 'lib/NoCaptcha.pm'), noCaptcha);
  writeFileSync(join(folder, 'conf/lmConf-1.json'), JSON.stringify(configure(folder, issuer, clients)));
  writeFileSync(
    join(folder, 'lemonldap-ng.ini'),
    `[all]
logLevel = error
[configuration]
type = File
dirName = ${folder}/conf
[portal]
templateDir = ${unpacked}/usr/share/lemonldap-ng/portal/templates
languages = en
`,
  );
  const daemon = await startDaemon(
    port,
    'env',
    `PERL5LIB=${folder}/lib:${unpacked}/usr/share/perl5:${unpacked}/usr/lib/x86_64-linux-gnu/perl5/5.36`,
    `LLNG_DEFAULTCONFFILE=${folder}/lemonldap-ng.ini`,
    'perl',
    `${unpacked}/usr/bin/plackup`,
    '--server=HTTP::Server::PSGI',
    '--host=127.0.0.1',
    `--port=${port}`,
    `${unpacked}/usr/share/lemonldap-ng/portal/htdocs/index.psgi`,
  );
  return {
    issuer,
    openBrowser: () => openBrowser(issuer),
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Its whole configuration, as its manager would write it. */
function configure(folder: string, issuer: string, clients: readonly LemonLdapClient[]): object {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const storage = (name: string) => ({
    Directory: join(folder, name),
    LockDirectory: join(folder, name, 'lock'),
    generateModule: 'Lemonldap::NG::Common::Apache::Session::Generate::SHA256',
  });
  const eachClient = (settings: (client: LemonLdapClient) => object) =>
    Object.fromEntries(clients.map((client) => [client.id, settings(client)]));
  return {
    cfgNum: 1,
    cfgVersion: '2.16.1',
    cfgAuthor: 'test',
    cfgDate: 1,
    authentication: 'Demo',
    userDB: 'Same',
    passwordDB: 'Null',
    registerDB: 'Null',
    demoExportedVars: { cn: 'cn', mail: 'mail', uid: 'uid' },
    whatToTrace: 'uid',
    locationRules: {},
    portal: issuer,
    domain: '127.0.0.1',
    cookieName: 'lemonldap',
    securedCookie: 0,
    key: 'the key of its cookies',
    captcha: 'NoCaptcha',
    requireToken: 0,
    globalStorage: 'Apache::Session::File',
    globalStorageOptions: storage('sessions'),
    persistentStorage: 'Apache::Session::File',
    persistentStorageOptions: storage('persistent'),
    localSessionStorage: 'Cache::FileCache',
    localSessionStorageOptions: { cache_root: join(folder, 'cache'), namespace: 'sessions', cache_depth: 3 },
    issuerDBOpenIDConnectActivation: 1,
    oidcServiceMetaDataIssuer: issuer,
    oidcServiceKeyIdSig: 'first',
    oidcServicePrivateKeySig: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    oidcServicePublicKeySig: publicKey.export({ type: 'spki', format: 'pem' }),
    oidcRPMetaDataOptions: eachClient(({ id, secret, redirectUri, algorithm }) => ({
      oidcRPMetaDataOptionsClientID: id,
      oidcRPMetaDataOptionsClientSecret: secret,
      oidcRPMetaDataOptionsRedirectUris: redirectUri,
      oidcRPMetaDataOptionsIDTokenSignAlg: algorithm,
      oidcRPMetaDataOptionsPostLogoutRedirectUris: 'https://files.example.org/sign-in',
      oidcRPMetaDataOptionsBypassConsent: 1,
    })),
    oidcRPMetaDataExportedVars: eachClient(() => ({ email: 'mail', name: 'cn', groups: 'groups', role: 'uid' })),
    oidcRPMetaDataOptionsExtraClaims: eachClient(() => ({ profile: 'name groups role' })),
  };
}
