import type { DnsRecords, DnsResponse } from '../ports/mailer.ts';
import type { MailCheck, MailFinding } from './test-mail.ts';

export interface MailDomains {
  /** The address that mails come from. */
  readonly from: string;
  /** The address that undeliverable mails return to, if there is one. */
  readonly bounces: string | undefined;
  readonly dkimSelector?: string | undefined;
}

/** The DNS records that servers check when they receive our mails. */
export async function findMailRecords(
  dns: DnsRecords,
  { from, bounces, dkimSelector }: MailDomains,
): Promise<MailFinding[]> {
  return await Promise.all([
    checkRecord('SPF', () => checkSpf(dns, extractDomain(bounces ?? from))),
    checkRecord('DKIM', () => checkDkim(dns, extractDomain(from), dkimSelector)),
    checkRecord('DMARC', () => checkDmarc(dns, extractDomain(from))),
    checkRecord('bounces', () => checkBounceServer(dns, bounces)),
  ]);
}

type Finding = Omit<MailFinding, 'check'>;

async function checkRecord(check: MailCheck, find: () => Promise<Finding>): Promise<MailFinding> {
  try {
    return { check, ...(await find()) };
  } catch (error) {
    const { code } = error as { code?: string };
    const advice = 'Try again, or ask another DNS server with --dns-server.';
    return { check, state: 'cannot tell', found: `DNS does not respond (${code ?? 'error'})`, advice };
  }
}

/** Receiving servers look it up for the domain of the envelope's sender. */
async function checkSpf(dns: DnsRecords, domain: string): Promise<Finding> {
  const [record, ...others] = (await dns.txt(domain)).values.filter((text) => /^v=spf1(?: |$)/i.test(text));
  if (record === undefined) {
    const advice = `Publish a TXT record at ${domain} that names the server that sends your mail, such as "v=spf1 mx -all".`;
    return { state: 'missing', found: `${domain} has no SPF record`, advice };
  }
  if (others.length > 0) {
    return {
      state: 'failed',
      found: `${domain} has ${others.length + 1} SPF records`,
      advice: 'Keep one: with several, none counts.',
    };
  }
  return { state: 'ok', found: `${domain}: ${record}` };
}

async function checkDkim(dns: DnsRecords, domain: string, selector: string | undefined): Promise<Finding> {
  const advice = 'Have your mail server sign mails, and publish its key (docs/mail.md).';
  if (selector === undefined) {
    // A name that has other names below it exists, even if it has no records itself.
    const { exists } = await dns.txt(`_domainkey.${domain}`);
    return exists
      ? {
          state: 'cannot tell',
          found: `${domain} has DKIM keys`,
          advice: 'Name yours with --dkim-selector to have it looked up.',
        }
      : { state: 'missing', found: `${domain} has no DKIM key`, advice };
  }
  const name = `${selector}._domainkey.${domain}`;
  const record = (await dns.txt(name)).values.find((text) => /(?:^|;)\s*p=/i.test(text));
  if (record === undefined) return { state: 'missing', found: `${name} has no DKIM key`, advice };
  return /(?:^|;)\s*p=\s*(?:;|$)/i.test(record)
    ? { state: 'failed', found: `the key at ${name} is revoked`, advice }
    : { state: 'ok', found: `${name} has a key` };
}

/** At the domain, or at a parent domain. */
async function checkDmarc(dns: DnsRecords, domain: string): Promise<Finding> {
  const labels = domain.split('.');
  for (let at = 0; at === 0 || at < labels.length - 1; at += 1) {
    const name = `_dmarc.${labels.slice(at).join('.')}`;
    const record = (await dns.txt(name)).values.find((text) => /^v=DMARC1(?:;|\s|$)/i.test(text));
    if (record !== undefined) return { state: 'ok', found: `${name}: ${record}` };
  }
  const advice = `Publish a TXT record at _dmarc.${domain}; begin with "v=DMARC1; p=none" and an address for reports.`;
  return { state: 'missing', found: `${domain} has no DMARC record`, advice };
}

async function checkBounceServer(dns: DnsRecords, bounces: string | undefined): Promise<Finding> {
  if (bounces === undefined) {
    const advice = 'Set it, or senders are not told of mails that come back (docs/mail.md).';
    return { state: 'missing', found: 'WAYBILL_BOUNCE_ADDRESS is not set', advice };
  }
  const domain = extractDomain(bounces);
  const { values: servers } = await dns.mx(domain);
  // A single empty name means that the domain accepts no mail (RFC 7505).
  if (servers.some((server) => server !== ''))
    return { state: 'ok', found: `${domain} is served by ${servers.join(', ')}` };
  const addresses: DnsResponse<string> =
    servers.length > 0 ? { exists: true, values: [] } : await dns.addresses(domain);
  if (addresses.values.length > 0)
    return { state: 'ok', found: `${domain} is its own mail server, for it has no MX record` };
  const advice = `Publish an MX record at ${domain} that names the mail server which hands us what comes back.`;
  return { state: 'missing', found: `${domain} takes no mail`, advice };
}

function extractDomain(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}
