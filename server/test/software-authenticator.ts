import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** How an authenticator or its browser deviates from what it should do. */
export interface Deviation {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly type?: string;
  readonly crossOrigin?: boolean;
  readonly topOrigin?: string;
  readonly isPresent?: boolean;
  readonly isVerified?: boolean;
  readonly isBackupEligible?: boolean;
  readonly isBackedUp?: boolean;
  readonly counter?: number;
  readonly userHandle?: Buffer;
  readonly attestation?: { readonly format: string; readonly statement: CborMap };
}

type Cbor = number | string | Buffer | CborMap;
type CborMap = ReadonlyMap<number | string, Cbor>;

interface CreationOptions {
  readonly challenge: string;
  readonly rp: { readonly id: string };
  readonly user: { readonly id: string };
}

interface RequestOptions {
  readonly challenge: string;
  readonly rpId: string;
}

const [present, verified, backupEligible, backedUp, hasCredential] = [0x01, 0x04, 0x08, 0x10, 0x40];

/** An authenticator with one passkey, together with the browser that it is used in. */
export class SoftwareAuthenticator {
  readonly credentialId = randomBytes(32);
  readonly #keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject };
  readonly #origin: string;
  readonly #algorithm: 'ES256' | 'EdDSA';
  #handle = '';
  /** How often it was used; 0 forever if it does not count. */
  counter = 0;
  readonly #counts: boolean;

  constructor(options: { origin: string; algorithm?: 'ES256' | 'EdDSA'; counts?: boolean }) {
    this.#origin = options.origin;
    this.#algorithm = options.algorithm ?? 'ES256';
    this.#counts = options.counts ?? true;
    this.#keys =
      this.#algorithm === 'ES256' ? generateKeyPairSync('ec', { namedCurve: 'P-256' }) : generateKeyPairSync('ed25519');
  }

  /** As `navigator.credentials.create()` does, in the form of its `toJSON()`. */
  register(options: object, deviation: Deviation = {}) {
    const { challenge, rp, user } = options as CreationOptions;
    this.#handle = user.id;
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.credentialId.length);
    const credential = Buffer.concat([Buffer.alloc(16), length, this.credentialId, encodeCbor(this.#toCose())]);
    const authData = this.#makeAuthenticatorData(rp.id, deviation, credential);
    const { format = 'none', statement = new Map() } = deviation.attestation ?? {};
    const attestation = new Map<string, Cbor>([
      ['fmt', format],
      ['attStmt', statement],
      ['authData', authData],
    ]);
    return {
      ...this.#identify(),
      response: {
        clientDataJSON: this.#makeClientData('webauthn.create', challenge, deviation),
        attestationObject: encodeCbor(attestation).toString('base64url'),
        transports: ['internal', 'hybrid'],
      },
    };
  }

  /** As `navigator.credentials.get()` does, in the form of its `toJSON()`. */
  signIn(options: object, deviation: Deviation = {}) {
    const { challenge, rpId } = options as RequestOptions;
    const authenticatorData = this.#makeAuthenticatorData(rpId, deviation);
    const clientDataJSON = this.#makeClientData('webauthn.get', challenge, deviation);
    const clientHash = createHash('sha256').update(Buffer.from(clientDataJSON, 'base64url')).digest();
    const hash = this.#algorithm === 'ES256' ? 'sha256' : null;
    const signature = sign(hash, Buffer.concat([authenticatorData, clientHash]), this.#keys.privateKey);
    return {
      ...this.#identify(),
      response: {
        clientDataJSON,
        authenticatorData: authenticatorData.toString('base64url'),
        signature: signature.toString('base64url'),
        userHandle: deviation.userHandle?.toString('base64url') ?? this.#handle,
      },
    };
  }

  #identify() {
    const id = this.credentialId.toString('base64url');
    return { id, rawId: id, type: 'public-key', authenticatorAttachment: 'platform', clientExtensionResults: {} };
  }

  #makeClientData(type: string, challenge: string, deviation: Deviation): string {
    const data = {
      type: deviation.type ?? type,
      challenge: deviation.challenge ?? challenge,
      origin: deviation.origin ?? this.#origin,
      crossOrigin: deviation.crossOrigin ?? false,
      ...(deviation.topOrigin && { topOrigin: deviation.topOrigin }),
    };
    return Buffer.from(JSON.stringify(data)).toString('base64url');
  }

  #makeAuthenticatorData(rpId: string, deviation: Deviation, credential?: Buffer): Buffer {
    if (this.#counts) this.counter += 1;
    const flags =
      (deviation.isPresent === false ? 0 : present) |
      (deviation.isVerified === false ? 0 : verified) |
      (deviation.isBackupEligible ? backupEligible : 0) |
      (deviation.isBackedUp ? backedUp : 0) |
      (credential ? hasCredential : 0);
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(deviation.counter ?? this.counter);
    const site = createHash('sha256')
      .update(deviation.rpId ?? rpId)
      .digest();
    return Buffer.concat([site, Buffer.from([flags]), counter, credential ?? Buffer.alloc(0)]);
  }

  /** RFC 9053: key type, algorithm, curve and coordinates. */
  #toCose(): CborMap {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' }) as { x?: string; y?: string };
    const coordinates = [x, y].map((coordinate) => Buffer.from(coordinate, 'base64url'));
    const [, second] = coordinates;
    const [first = Buffer.alloc(0)] = coordinates;
    const values: [number, Cbor][] =
      this.#algorithm === 'ES256'
        ? [
            [1, 2],
            [3, -7],
            [-1, 1],
            [-2, first],
            [-3, second as Buffer],
          ]
        : [
            [1, 1],
            [3, -8],
            [-1, 6],
            [-2, first],
          ];
    return new Map(values);
  }
}

/** RFC 8949, as far as authenticators use it. */
export function encodeCbor(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? encodeHead(1, -1 - value) : encodeHead(0, value);
  if (typeof value === 'string') return Buffer.concat([encodeHead(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([encodeHead(2, value.length), value]);
  const entries = [...value].flatMap(([key, entry]) => [encodeCbor(key), encodeCbor(entry)]);
  return Buffer.concat([encodeHead(5, value.size), ...entries]);
}

function encodeHead(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value]);
  if (value < 256) return Buffer.from([(major << 5) | 24, value]);
  return Buffer.from([(major << 5) | 25, value >> 8, value & 0xff]);
}
