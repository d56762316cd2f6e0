import { limits } from '@waybill/protocol';
import type { SecondFactor, SharedLinks } from '../../../domain/policy.ts';
import { readSharedLinkValues, type SharedLinkValues } from './shared-link-values.ts';

/** The content of a form that sends or asks, as it was typed. */
export interface ComposerValues {
  readonly receivers: string;
  /** One line by which it is known; may be empty. */
  readonly title: string;
  readonly message: string;
  /** Empty for a day of one's own, which is `until`. */
  readonly days: string;
  /** As `2026-11-23`. */
  readonly until: string;
  readonly secondFactor: SecondFactor;
  /** Empty: none. It is never kept as a draft. */
  readonly passphrase: string;
  readonly notify: boolean;
  /** Whether it is for people, with a link for all of them if so chosen, or for anybody with the link. */
  readonly shared: SharedLinkValues;
  /** Phone numbers by address, as they were typed. */
  readonly phones: ReadonlyMap<string, string>;
  /** Those who get their code by mail, although others get it by SMS. */
  readonly byMail: ReadonlySet<string>;
  /** Whether the same goes for those without a number for whom the form has no row. */
  readonly isRestByMail: boolean;
}

/** The choices that an account has in a form that sends or asks. */
export interface ComposerChoices {
  readonly receiversHref: string;
  readonly maxMessageLength: number;
  readonly lifetimes: LifetimeChoices;
  /** The second factors that the account may choose, and that the server can send. */
  readonly secondFactors: readonly SecondFactor[];
  /** Whether the account may pass on links by itself. */
  readonly canCopyLinks: boolean;
  /** A passphrase that nobody else has, for those who do not want to think of one. */
  readonly suggestedPassphrase: string;
  /** The kinds of links to share that the account may make. */
  readonly sharedLinks: SharedLinks;
  /** The lifetime that is chosen at first. */
  readonly defaultDays: string;
  /** The country of numbers that are written without one. */
  readonly callingCode: string | undefined;
}

/** The lifetimes among which the sender can choose. */
export interface LifetimeChoices {
  /** In days, each with the last day in words; none if the account has no choice. */
  readonly presets: readonly { readonly days: number; readonly until: string }[];
  /** The first and last day that can be chosen; undefined if only the presets can. */
  readonly range?: { readonly min: string; readonly max: string } | undefined;
}

const phonePrefix = 'phone:';
const codePrefix = 'code:';
/** The longest short field: more than a lifetime, a date or a phone number has. A refused form shows it again. */
const shortLength = 100;
const secondFactors: readonly SecondFactor[] = ['off', 'mail', 'sms'];

/** The names of the fields of a person whose code comes by SMS. */
export const phoneFields = (email: string) => ({ phone: phonePrefix + email, code: codePrefix + email });

export function readComposerValues(fields: URLSearchParams, usualFactor: SecondFactor): ComposerValues {
  const readShort = (name: string) => (fields.get(name) ?? '').slice(0, shortLength);
  const named = (prefix: string) =>
    [...fields].flatMap(([name, value]) =>
      name.startsWith(prefix) && value.trim() !== ''
        ? [[name.slice(prefix.length), value.slice(0, shortLength)] as const]
        : [],
    );
  return {
    receivers: fields.getAll('receiver').join('\n'),
    title: (fields.get('title') ?? '').trim().slice(0, limits.titleLength + 1),
    message: (fields.get('message') ?? '').replaceAll('\r\n', '\n'),
    days: readShort('days'),
    until: readShort('until'),
    secondFactor: secondFactors.find((each) => each === fields.get('second_factor')) ?? usualFactor,
    passphrase: (fields.get('passphrase') ?? '').slice(0, limits.passphraseLength),
    notify: fields.get('notify') !== 'links',
    shared: readSharedLinkValues(fields),
    phones: new Map(named(phonePrefix)),
    byMail: new Set(named(codePrefix).flatMap(([email, code]) => (code === 'mail' ? [email] : []))),
    isRestByMail: fields.get('code_rest') === 'mail',
  };
}

/** The form before anything is typed, except for those whom the address of the page names. */
export function emptyValues(
  secondFactor: SecondFactor,
  { defaultDays }: Pick<ComposerChoices, 'defaultDays'>,
  receivers: string,
): ComposerValues {
  return {
    receivers,
    title: '',
    message: '',
    days: defaultDays,
    until: '',
    secondFactor,
    passphrase: '',
    notify: true,
    shared: { who: 'people', maxDownloads: '', isForAll: false },
    phones: new Map(),
    byMail: new Set(),
    isRestByMail: false,
  };
}

/**
 * Writes the values as one text that is the same for the same values. Without the passphrase: a digest of the text is stored,
 * by which one could try passphrases.
 */
export const describeValues = ({ phones, byMail, passphrase: _, ...values }: ComposerValues) =>
  JSON.stringify([values, [...phones], [...byMail]]);
