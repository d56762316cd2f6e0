import { argon2, timingSafeEqual } from 'node:crypto';
import { deriveKey } from '../derive-key.ts';
import { ConcurrencyLimiter } from '../flow/concurrency-limiter.ts';
import type { Random } from '../ports/random.ts';

/** OWASP's first recommendation for argon2id: 19 MiB, two passes, one lane. */
const cost = { memoryKib: 19 * 1024, passes: 2, lanes: 1 };
const saltBytes = 16;
const tagBytes = 32;
/**
 * Hashes at once in a process, 19 MiB each. One of Node's four threads remains for files and name look-ups, and those who
 * try passphrases of links do not delay those who sign in.
 */
const concurrent = { password: 2, passphrase: 1 } as const;
const waiting = { silenceMs: 8_000, waitMs: 8_000, maxWaiting: 200 };

/** The longest password that is ever hashed, in characters. */
export const maxPasswordLength = 200;

/** Unicode has several ways to write an accented letter, and keyboards differ in which they use. */
export function normalizePassword(password: string): string {
  return password.normalize('NFC');
}

/** Undefined for a text that is too long to be anybody's password, and would cost more than one. */
function readPassword(typed: string): string | undefined {
  // A character takes up to eight units before it is normalised.
  if (typed.length > 8 * maxPasswordLength) return undefined;
  const password = normalizePassword(typed);
  return Array.from(password).length > maxPasswordLength ? undefined : password;
}

/**
 * Passwords of people, and passphrases of deliveries, are stored as argon2id, as a PHC string. The hash is keyed with a
 * secret that is derived from the pepper: whoever has only the database cannot try them.
 */
export class Passwords {
  readonly #secret: Buffer;
  readonly #random: Random;
  readonly #computeHash: typeof argon2;
  readonly limiter: ConcurrencyLimiter;

  constructor(pepper: Buffer, random: Random, compute = argon2, kind: keyof typeof concurrent = 'password') {
    this.#computeHash = compute;
    this.#secret = deriveKey(pepper, `waybill ${kind}`);
    this.#random = random;
    this.limiter = new ConcurrencyLimiter({ limit: concurrent[kind], ...waiting });
  }

  /** The PHC string to store, of a password in which `findPasswordFault` finds none. */
  async hash(password: string): Promise<string> {
    const salt = this.#random.bytes(saltBytes);
    const text = normalizePassword(password);
    return formatPhc({ ...cost, salt, tag: await this.#compute(text, { ...cost, salt }, tagBytes) });
  }

  /**
   * Whether this is the password. Takes the same work for a person who has none, or who does not exist: `stored` is
   * then undefined.
   */
  async verify(password: string, stored: string | undefined): Promise<boolean> {
    const known = stored === undefined ? undefined : parsePhc(stored);
    const { tag, ...parameters } = known ?? this.#makeDecoy();
    const offered = readPassword(password);
    const isEqual = timingSafeEqual(await this.#compute(offered ?? '', parameters, tag.length), tag);
    return isEqual && known !== undefined && offered !== undefined;
  }

  /** Whether the hash was made with other parameters than new ones, so that it is replaced at the next sign-in. */
  needsRehash(stored: string): boolean {
    const { memoryKib, passes, lanes, salt, tag } = parsePhc(stored);
    const isSameCost = memoryKib === cost.memoryKib && passes === cost.passes && lanes === cost.lanes;
    return !(isSameCost && salt.length === saltBytes && tag.length === tagBytes);
  }

  #makeDecoy(): PasswordHash {
    return { ...cost, salt: this.#random.bytes(saltBytes), tag: this.#random.bytes(tagBytes) };
  }

  #compute(password: string, parameters: Omit<PasswordHash, 'tag'>, tagLength: number): Promise<Buffer> {
    const input = {
      message: password,
      nonce: parameters.salt,
      memory: parameters.memoryKib,
      passes: parameters.passes,
      parallelism: parameters.lanes,
      secret: this.#secret,
      tagLength,
    };
    return this.limiter.run(
      () =>
        new Promise((resolve, reject) => {
          this.#computeHash('argon2id', input, (error, tag) => (error ? reject(error) : resolve(tag)));
        }),
    );
  }
}

/** The parts of a stored hash. */
interface PasswordHash {
  readonly memoryKib: number;
  readonly passes: number;
  readonly lanes: number;
  readonly salt: Buffer;
  readonly tag: Buffer;
}

const base64 = '[A-Za-z0-9+/]';
/** The string as the reference implementation of Argon2 writes it: these parameters, in this order, and no others. */
const phcShape = new RegExp(
  String.raw`^\$argon2id\$v=19\$m=([1-9]\d{0,9}),t=([1-9]\d{0,9}),p=([1-9]\d{0,9})\$(${base64}{11,64})\$(${base64}{22,86})$`,
);

/** The most work that a stored hash may ask for: an altered row must not stop the process. */
const maxWork = { memoryKib: 256 * 1024, passes: 16, lanes: 16 };

export function formatPhc({ memoryKib, passes, lanes, salt, tag }: PasswordHash): string {
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=${lanes}$${toBase64(salt)}$${toBase64(tag)}`;
}

/** Throws for anything else than a string of `formatPhc`: a stored hash that cannot be read is not a wrong password. */
export function parsePhc(text: string): PasswordHash {
  const [, memory, passes, lanes, salt = '', tag = ''] = phcShape.exec(text) ?? [];
  const parsed = {
    memoryKib: Number(memory),
    passes: Number(passes),
    lanes: Number(lanes),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
  const isAffordable =
    parsed.memoryKib <= maxWork.memoryKib &&
    parsed.memoryKib >= 8 * parsed.lanes &&
    parsed.passes <= maxWork.passes &&
    parsed.lanes <= maxWork.lanes;
  // Formatting again finds bits after the end of the base64.
  if (!isAffordable || formatPhc(parsed) !== text) throw new Error('A stored password hash cannot be read.');
  return parsed;
}

/** Base64 without padding, as PHC strings have it. */
function toBase64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}
