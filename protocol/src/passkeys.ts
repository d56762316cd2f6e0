import { type Static, Type } from 'typebox';

/** Bounds of the responses of authenticators: a credential's id has at most 1023 bytes, and the rest is small (WebAuthn). */
const encoded = (maxBytes: number, minBytes = 1) =>
  Type.String({
    minLength: Math.ceil((minBytes * 4) / 3),
    maxLength: Math.ceil((maxBytes * 4) / 3),
    pattern: '^[A-Za-z0-9_-]+$',
  });

const credentialId = encoded(1023, 16);
const clientDataJSON = encoded(4096);

/** The parts of a browser's `PublicKeyCredential.toJSON()` that are used; the others are ignored. */
const credential = { id: credentialId, rawId: credentialId, type: Type.Literal('public-key') };

/** The response of `navigator.credentials.create()`. */
export const PasskeyRegistration = Type.Object({
  ...credential,
  response: Type.Object({
    clientDataJSON,
    attestationObject: encoded(16_384),
    transports: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 32, pattern: '^[a-z0-9-]+$' }), { maxItems: 10 }),
    ),
  }),
});
export type PasskeyRegistration = Static<typeof PasskeyRegistration>;

/** The response of `navigator.credentials.get()`. A discoverable credential always says whose it is. */
export const PasskeySignIn = Type.Object({
  ...credential,
  response: Type.Object({
    clientDataJSON,
    authenticatorData: encoded(4096),
    signature: encoded(1024),
    userHandle: encoded(64),
  }),
});
export type PasskeySignIn = Static<typeof PasskeySignIn>;
