const prefix = 'test.';

/** Whether the domain of an address begins with `test.`: nobody but a test account writes to it, and only to keep the mail. */
export function isTestAddress(email: string): boolean {
  return email
    .slice(email.lastIndexOf('@') + 1)
    .toLowerCase()
    .startsWith(prefix);
}

/** The domain whose addresses stand for those of a domain in tests. */
export function testDomain(domain: string): string {
  return prefix + domain;
}

/** The address of the test account of the account with an address. */
export function toTestAddress(email: string): string {
  const at = email.lastIndexOf('@') + 1;
  return email.slice(0, at) + testDomain(email.slice(at));
}
