import { domainToASCII } from 'node:url';
import type { ContactInput } from './wire.ts';

/** An address as the server keeps it: in lower case, its domain in ASCII. */
export function canonicalAddress(address: string): string {
  const lower = address.trim().toLowerCase();
  const at = lower.lastIndexOf('@');
  const domain = lower.slice(at + 1);
  return `${lower.slice(0, at + 1)}${domainToASCII(domain) || domain}`;
}

export function contactOf(contact: string | ContactInput): ContactInput {
  return typeof contact === 'string' ? { email: contact } : contact;
}
