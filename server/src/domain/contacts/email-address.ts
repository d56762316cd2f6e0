import { domainToASCII } from 'node:url';
import { limits } from '@waybill/protocol';
import isEmail from 'validator/lib/isEmail.js';
import { ExchangeError } from '../exchange-error.ts';

/**
 * Dot-atoms only: no quotes, comments, groups, brackets or routing, so that one address is always one mailbox. Some
 * mail servers still read `user%elsewhere@relay` and `elsewhere!user@relay` as "forward it to elsewhere".
 */
const localPart = /^[a-z0-9#$&'*+/=?^_`{|}~-]+(?:\.[a-z0-9#$&'*+/=?^_`{|}~-]+)*$/i;
/** domainToASCII parses a URL: it would drop a tab, decode %6d and cut at a slash, and the mail would go elsewhere. */
const domainCharacters = /^[\p{L}\p{M}\p{N}.-]+$/u;

/** The one form in which we store an address: lower case, with its domain in ASCII (UTS 46). */
export function emailAddress(text: string): string {
  // Most texts that are not an address come from a file or a paste; a long one is not worth parsing.
  if (text.length > limits.emailLength) throw notAnAddress(text);
  const at = text.lastIndexOf('@');
  const local = text.slice(0, Math.max(at, 0));
  const domain = text.slice(at + 1);
  const address = `${local.toLowerCase()}@${domainCharacters.test(domain) ? domainToASCII(domain) : ''}`;
  // "=?" would begin an encoded word, which a mail program displays as something else.
  if (
    !localPart.test(local) ||
    local.includes('=?') ||
    !isEmail.default(address, { allow_utf8_local_part: false, allow_ip_domain: false })
  ) {
    throw notAnAddress(text);
  }
  return address;
}

function notAnAddress(text: string): ExchangeError {
  const beginning = JSON.stringify(text.slice(0, 80));
  return new ExchangeError('invalid_input', `${beginning} is not an e-mail address we can use.`, {
    advice: 'Write it as name@example.org.',
  });
}

export function isEmailAddress(text: string): boolean {
  try {
    return emailAddress(text) !== '';
  } catch (error) {
    if (error instanceof ExchangeError) return false;
    throw error;
  }
}
