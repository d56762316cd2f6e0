import type { ClaimPath, ProviderClaims } from '../../domain/ports/identity-provider.ts';

export type RawClaims = Readonly<Record<string, unknown>>;

/** The claims that are wanted beyond the standard ones. */
export interface WantedClaims {
  readonly requireEmailVerified: boolean;
  readonly groupsClaim: ClaimPath | undefined;
  readonly creationClaim: ClaimPath | undefined;
}

type PersonClaims = Pick<ProviderClaims, 'email' | 'emailVerified' | 'name' | 'language' | 'groups' | 'creationClaim'>;

const maxIdentifierLength = 255;
const maxEmailLength = 320;
const maxNameCharacters = 100;
const maxValues = 2_000;
const maxValueLength = 1_000;

/** Whether the ID token leaves something open that the provider may tell at its userinfo endpoint. */
export function lacksClaims(idToken: RawClaims, wanted: WantedClaims): boolean {
  const { email, emailVerified, name } = readClaims(idToken, undefined, wanted, () => undefined);
  const isMissing = (path: ClaimPath | undefined) => path !== undefined && findClaim(idToken, path) === undefined;
  return (
    email === undefined ||
    name === undefined ||
    (wanted.requireEmailVerified && emailVerified === undefined) ||
    isMissing(wanted.groupsClaim) ||
    isMissing(wanted.creationClaim)
  );
}

/** Reads what the ID token says, and what it does not say from userinfo. `onMalformed` is told the name of a claim. */
export function readClaims(
  idToken: RawClaims,
  userInfo: RawClaims | undefined,
  { groupsClaim, creationClaim }: WantedClaims,
  onMalformed: (claim: string) => void,
): PersonClaims {
  const sources = [idToken, userInfo ?? {}];
  const find = (path: ClaimPath) =>
    sources.map((source) => findClaim(source, path)).find((value) => value !== undefined);
  const findText = (name: string) => toText(find([name]));
  const findValues = (path: ClaimPath | undefined) => {
    const value = path && find(path);
    if (!path || value === undefined || value === null) return undefined;
    const values = toValues(value);
    if (values === undefined) onMalformed(path.join(' '));
    return values;
  };
  const fullName = [findText('given_name'), findText('family_name')].filter((part) => part !== undefined).join(' ');
  return {
    ...readEmail(sources),
    name: findText('name') ?? toText(fullName),
    language: /^([a-z]{2,3})(?:[-_]|$)/i.exec(findText('locale') ?? '')?.[1]?.toLowerCase(),
    groups: findValues(groupsClaim),
    creationClaim: findValues(creationClaim),
  };
}

/** Undefined unless it is a text that can be stored and compared. */
export function toIdentifier(value: unknown): string | undefined {
  const isUsable = typeof value === 'string' && value !== '' && value.length <= maxIdentifierLength;
  return isUsable && !/\p{Cc}/u.test(value) && value.isWellFormed() ? value : undefined;
}

/** The address and whether it is verified belong together: one source does not vouch for another one's address. */
function readEmail(sources: readonly RawClaims[]): Pick<PersonClaims, 'email' | 'emailVerified'> {
  const isEmail = (value: unknown): value is string => typeof value === 'string' && value.length <= maxEmailLength;
  const email = sources.map((source) => findClaim(source, ['email'])).find(isEmail);
  if (email === undefined) return { email, emailVerified: undefined };
  const statements = sources
    .filter((source) => findClaim(source, ['email']) === email)
    .map((source) => toBoolean(findClaim(source, ['email_verified'])));
  return { email, emailVerified: statements.find((statement) => statement !== undefined) };
}

function findClaim(claims: RawClaims, path: ClaimPath): unknown {
  let value: unknown = claims;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as RawClaims)[name];
  }
  return value;
}

/** Some providers send "true". */
function toBoolean(value: unknown): boolean | undefined {
  if (value === true || value === 'true') return true;
  return value === false || value === 'false' ? false : undefined;
}

function toText(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value
    .slice(0, 10 * maxNameCharacters)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim();
  // By characters, so that none is cut in two.
  return Array.from(text).slice(0, maxNameCharacters).join('').trim() || undefined;
}

/** A text is one value. More than a text or a list of texts is not guessed at, and a long list is not cut. */
function toValues(value: unknown): readonly string[] | undefined {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  const isUsable = (item: unknown) => typeof item === 'string' && item.length <= maxValueLength;
  if (values.length > maxValues || !values.every(isUsable)) return undefined;
  return [...new Set(values as readonly string[])].filter((item) => item !== '');
}
