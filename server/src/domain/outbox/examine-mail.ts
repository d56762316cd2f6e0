import type { Finding } from '../doctor/finding.ts';
import type { DnsRecords, ProbeMailServer } from '../ports/mail-setup.ts';
import { findMailRecords, type MailDomains } from './find-mail-records.ts';
import { type MailFinding, serverFindings } from './test-mail.ts';

/** Examines the same as `admin mail test`, without sending a mail. */
export async function* examineMail(
  probeMailServer: ProbeMailServer,
  dns: DnsRecords,
  domains: MailDomains,
): AsyncGenerator<Finding> {
  const records = findMailRecords(dns, domains);
  for (const finding of [...serverFindings(await probeMailServer()), ...(await records)]) yield toFinding(finding);
}

/** A mail server that refuses us is a fault; a missing record makes mails land in the spam folder. */
function toFinding({ check, state, found, advice = 'See docs/mail.md.' }: MailFinding): Finding {
  // A domain name stays as it is.
  const says = `${found.replace(/^[a-z]+(?=[ ,])/, (word) => word.charAt(0).toUpperCase() + word.slice(1))}.`;
  const named = { check: `mail.${check.toLowerCase()}`, says };
  if (state === 'ok') return { ...named, status: 'ok' };
  if (state === 'cannot tell') return { ...named, status: 'skipped' };
  return { ...named, status: state === 'failed' ? 'fault' : 'warning', remedy: advice };
}
