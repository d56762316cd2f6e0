import { domainToASCII } from 'node:url';

/** Checks roughly, and excludes characters that would not be safe in credentials. */
export function isAccountAddress(address: string): boolean {
  return /^[^\s:/]+@[^\s:/]+$/.test(address);
}

/** Returns an address in the form that the server stores: in lower case, with its domain in ASCII. */
export function toCanonicalAddress(address: string): string {
  const lower = address.trim().toLowerCase();
  const at = lower.lastIndexOf('@');
  const domain = lower.slice(at + 1);
  return `${lower.slice(0, at + 1)}${domainToASCII(domain) || domain}`;
}
