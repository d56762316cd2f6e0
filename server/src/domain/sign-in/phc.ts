/** The parts of a stored hash. */
export interface PasswordHash {
  readonly memoryKib: number;
  readonly passes: number;
  readonly lanes: number;
  readonly salt: Buffer;
  readonly tag: Buffer;
}

const base64 = '[A-Za-z0-9+/]';
/** The string as the reference implementation of Argon2 writes it: these parameters, in this order, and no others. */
const shape = new RegExp(
  String.raw`^\$argon2id\$v=19\$m=([1-9]\d{0,9}),t=([1-9]\d{0,9}),p=([1-9]\d{0,9})\$(${base64}{11,64})\$(${base64}{22,86})$`,
);

/** The most work that a stored hash may ask for: an altered row must not stop the process. */
const max = { memoryKib: 256 * 1024, passes: 16, lanes: 16 };

export function formatPhc({ memoryKib, passes, lanes, salt, tag }: PasswordHash): string {
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=${lanes}$${toBase64(salt)}$${toBase64(tag)}`;
}

/** Throws for anything else than a string of `formatPhc`: a stored hash that cannot be read is not a wrong password. */
export function parsePhc(text: string): PasswordHash {
  const [, memory, passes, lanes, salt = '', tag = ''] = shape.exec(text) ?? [];
  const parsed = {
    memoryKib: Number(memory),
    passes: Number(passes),
    lanes: Number(lanes),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  };
  const isAffordable =
    parsed.memoryKib <= max.memoryKib &&
    parsed.memoryKib >= 8 * parsed.lanes &&
    parsed.passes <= max.passes &&
    parsed.lanes <= max.lanes;
  // Formatting again finds bits after the end of the base64.
  if (!isAffordable || formatPhc(parsed) !== text) throw new Error('A stored password hash cannot be read.');
  return parsed;
}

/** Base64 without padding, as PHC strings have it. */
function toBase64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}
