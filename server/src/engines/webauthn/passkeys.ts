import { timingSafeEqual } from 'node:crypto';
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { COSEALG, decodeAttestationObject, decodeClientDataJSON } from '@simplewebauthn/server/helpers';
import { PasskeyRegistration, PasskeySignIn } from '@waybill/protocol';
import { Check } from 'typebox/value';
import type { PasskeyOptions, PasskeyRefusal, Passkeys } from '../../domain/ports/passkeys.ts';
import { challengeSeconds } from '../../domain/sign-in/passkey-values.ts';

/** Of all authenticators: security keys and phones have one of the first two, Windows Hello has the third. */
const algorithms = [COSEALG.EdDSA, COSEALG.ES256, COSEALG.RS256];
const timeout = challengeSeconds * 1000;
/** An RSA key of 4096 bits fits. */
const maxPublicKeyBytes = 1024;

const refuse = (reason: PasskeyRefusal) => ({ outcome: 'refused', reason }) as const;

/**
 * The rules of WebAuthn by @simplewebauthn/server. It sees only responses whose fields have the right shape and size,
 * and whatever it throws is a refusal: there is no other way to tell a malformed response from a forged one.
 */
export function webauthnPasskeys(): Passkeys {
  return {
    async makeRegistrationOptions({ site, challenge }, owner, existing) {
      const options = await generateRegistrationOptions({
        rpID: site.id,
        rpName: site.name,
        userID: new Uint8Array(owner.handle),
        userName: owner.email,
        userDisplayName: owner.name,
        challenge: new Uint8Array(challenge),
        timeout,
        attestationType: 'none',
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        excludeCredentials: existing.map(({ credentialId, transports }) => ({
          id: credentialId.toString('base64url'),
          transports: [...transports],
        })),
        supportedAlgorithmIDs: algorithms,
      });
      return options as unknown as PasskeyOptions;
    },

    async verifyRegistration(response, { site, challenge }) {
      if (!isRegistration(response)) return refuse('malformed');
      const { id, rawId, type } = response;
      const { clientDataJSON, attestationObject, transports = [] } = response.response;
      const verified = await unlessThrown(() => {
        requireOwnFrame(clientDataJSON);
        return verifyRegistrationResponse({
          response: {
            id,
            rawId,
            type,
            clientExtensionResults: {},
            response: { clientDataJSON, attestationObject: withoutAttestation(attestationObject) },
          },
          expectedChallenge: challenge.toString('base64url'),
          expectedOrigin: site.origin,
          expectedRPID: site.id,
          requireUserVerification: true,
          supportedAlgorithmIDs: algorithms,
        });
      });
      if (!verified?.verified) return refuse('not_verified');
      const { credential, credentialBackedUp: isBackedUp } = verified.registrationInfo;
      if (credential.id !== id) return refuse('wrong_credential');
      if (credential.publicKey.length > maxPublicKeyBytes) return refuse('malformed');
      return {
        outcome: 'accepted',
        credentialId: Buffer.from(id, 'base64url'),
        publicKey: Buffer.from(credential.publicKey),
        counter: credential.counter,
        transports: [...new Set(transports)],
        isBackedUp,
      };
    },

    async makeSignInOptions({ site, challenge }) {
      const options = await generateAuthenticationOptions({
        rpID: site.id,
        challenge: new Uint8Array(challenge),
        timeout,
        userVerification: 'required',
      });
      return options as unknown as PasskeyOptions;
    },

    readCredentialId: (response) => (isSignIn(response) ? Buffer.from(response.id, 'base64url') : undefined),

    async verifySignIn(response, { site, challenge, passkey, handle }) {
      if (!isSignIn(response)) return refuse('malformed');
      const { id, rawId, type } = response;
      const { clientDataJSON, authenticatorData, signature, userHandle } = response.response;
      const isOwner = isEqual(userHandle, handle) && isEqual(id, passkey.credentialId);
      if (!isOwner) return refuse('wrong_credential');
      const verified = await unlessThrown(() => {
        requireOwnFrame(clientDataJSON);
        return verifyAuthenticationResponse({
          response: {
            id,
            rawId,
            type,
            clientExtensionResults: {},
            response: { clientDataJSON, authenticatorData, signature, userHandle },
          },
          expectedChallenge: challenge.toString('base64url'),
          expectedOrigin: site.origin,
          expectedRPID: site.id,
          requireUserVerification: true,
          // The library checks the counter before the signature; only after it does a counter say anything.
          credential: { id, publicKey: new Uint8Array(passkey.publicKey), counter: 0 },
        });
      });
      if (!verified?.verified) return refuse('not_verified');
      const { newCounter: counter, credentialBackedUp: isBackedUp } = verified.authenticationInfo;
      const isCounting = counter > 0 || passkey.counter > 0;
      if (isCounting && counter <= passkey.counter) return refuse('counter_went_back');
      return { outcome: 'accepted', counter, isBackedUp };
    },
  };
}

function isRegistration(response: unknown): response is PasskeyRegistration {
  return Check(PasskeyRegistration, response) && areCanonical(response, ['clientDataJSON', 'attestationObject']);
}

function isSignIn(response: unknown): response is PasskeySignIn {
  const fields = ['clientDataJSON', 'authenticatorData', 'signature', 'userHandle'] as const;
  return Check(PasskeySignIn, response) && areCanonical(response, fields);
}

/** Whether texts of base64url have no bits after their end, so that equal bytes are equal texts. */
function areCanonical<Field extends string>(
  { id, rawId, response }: { id: string; rawId: string; response: Record<Field, string> },
  fields: readonly Field[],
): boolean {
  const texts = [id, rawId, ...fields.map((field) => response[field])];
  return texts.every((text) => Buffer.from(text, 'base64url').toString('base64url') === text);
}

function isEqual(encoded: string, expected: Buffer): boolean {
  const bytes = Buffer.from(encoded, 'base64url');
  return bytes.length === expected.length && timingSafeEqual(bytes, expected);
}

/** Throws if the page was in the frame of another site, which could have led the person to it. */
function requireOwnFrame(clientDataJSON: string): void {
  const { crossOrigin, topOrigin } = decodeClientDataJSON(clientDataJSON);
  if (crossOrigin || topOrigin !== undefined) throw new Error('The page was in the frame of another site.');
}

/** CBOR of `{ fmt: 'none', attStmt: {}, authData:` and the type of bytes whose length is in the next two. */
const noAttestation = Buffer.concat([
  Buffer.from([0xa3, 0x63]),
  Buffer.from('fmt'),
  Buffer.from([0x64]),
  Buffer.from('none'),
  Buffer.from([0x67]),
  Buffer.from('attStmt'),
  Buffer.from([0xa0, 0x68]),
  Buffer.from('authData'),
  Buffer.from([0x59]),
]);

/**
 * Replaces the attestation statement by none. We ask for none and trust no maker of authenticators, but some send one
 * anyway; so its certificates are never parsed.
 */
function withoutAttestation(attestationObject: string): string {
  const authData = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url'))).get('authData');
  if (!(authData instanceof Uint8Array) || authData.length > 0xff_ff)
    throw new Error('There is no authenticator data.');
  const length = Buffer.alloc(2);
  length.writeUInt16BE(authData.length);
  return Buffer.concat([noAttestation, length, authData]).toString('base64url');
}

async function unlessThrown<Result>(verify: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await verify();
  } catch {
    return undefined;
  }
}
