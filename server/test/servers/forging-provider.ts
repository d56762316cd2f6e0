import type { KeyObject } from 'node:crypto';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, type JWTHeaderParameters, SignJWT } from 'jose';

/** Undefined leaves a claim out. */
export type ForgedClaims = Readonly<Record<string, unknown>>;

export interface ForgingProvider extends AsyncDisposable {
  readonly issuer: string;
  readonly privateKey: KeyObject;
  /** The public key in the form in which a careless verifier would take it for a secret. */
  readonly publicPem: string;
  readonly requests: readonly string[];
  /** The ID token of the next response of the token endpoint. */
  idToken: string;
  userInfo: Readonly<Record<string, unknown>>;
  /** Overrides what is in the metadata. */
  metadata: Readonly<Record<string, unknown>>;
  /** Responds to everything instead of the provider. */
  respond: ((response: ServerResponse, path: string) => void) | undefined;
  sign(claims: ForgedClaims, header?: Partial<JWTHeaderParameters>): Promise<string>;
}

/** A provider that issues whatever a test wants, with a key that its metadata name. */
export async function startForgingProvider(): Promise<ForgingProvider> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const publicKey = createPublicKey(privateKey);
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'forged' }];
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '', 'http://provider').pathname;
    requests.push(path);
    if (forging.respond) return forging.respond(response, path);
    const bodies: Readonly<Record<string, unknown>> = {
      '/.well-known/openid-configuration': {
        issuer: forging.issuer,
        authorization_endpoint: `${forging.issuer}/auth`,
        token_endpoint: `${forging.issuer}/token`,
        userinfo_endpoint: `${forging.issuer}/userinfo`,
        jwks_uri: `${forging.issuer}/jwks`,
        // A provider may offer all of them; which of them are accepted is ours to decide.
        id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
        ...forging.metadata,
      },
      '/jwks': { keys },
      '/token': { access_token: 'access', token_type: 'Bearer', id_token: forging.idToken },
      '/userinfo': forging.userInfo,
    };
    request.resume();
    return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(bodies[path] ?? {}));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const forging: ForgingProvider = {
    issuer: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    privateKey,
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }),
    requests,
    idToken: '',
    userInfo: {},
    metadata: {},
    respond: undefined,
    sign: (claims, header) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'forged', ...header }).sign(privateKey),
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return forging;
}
