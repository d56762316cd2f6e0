import type { Finding } from '../doctor/finding.ts';
import type { Engines } from '../engines.ts';
import type { DnsRecords, MailServerFacts, ProbeMailServer } from '../ports/mailer.ts';
import { findMailRecords, type MailDomains } from './find-mail-records.ts';
import { toOperatorsMail } from './obsolete-message.ts';
import { toOneLine } from './server-reply.ts';

export type MailCheck = 'connection' | 'encryption' | 'login' | 'mail' | 'SPF' | 'DKIM' | 'DMARC' | 'bounces';

export interface MailFinding {
  readonly check: MailCheck;
  readonly state: 'ok' | 'missing' | 'failed' | 'cannot tell';
  readonly found: string;
  /** The next step for the operator. */
  readonly advice?: string;
}

type Needs = Pick<Engines, 'mailer' | 'mailTemplates' | 'policy' | 'returnPaths' | 'random'> & {
  readonly probeMailServer: ProbeMailServer;
};

/** Sends a test mail, and reports what can be seen from here about whether mails will arrive. */
export async function testMail(
  engines: Needs,
  dns: DnsRecords,
  to: string,
  options: { readonly dkimSelector?: string | undefined } = {},
): Promise<MailFinding[]> {
  const { mailFrom } = engines.policy;
  const records = findMailRecords(dns, { from: mailFrom, bounces: engines.returnPaths?.address, ...options });
  const facts = await engines.probeMailServer();
  return [...serverFindings(facts), await handOver(engines, facts, to), ...(await records)];
}

function serverFindings({ failure, isLocal, tls, login }: MailServerFacts): MailFinding[] {
  if (failure !== undefined) {
    // Node adds a hint for its own command line.
    const found = `the mail server cannot be used: ${toOneLine(failure.replace(/; if the root CA .*/s, ''))}`;
    return [{ check: 'connection', state: 'failed', found, advice: adviceOn(failure, isLocal) }];
  }
  const encryption = { check: 'encryption' as const, state: 'ok' as const };
  return [
    { check: 'connection', state: 'ok', found: 'the mail server responds' },
    tls !== undefined
      ? { ...encryption, found: tls }
      : isLocal
        ? { ...encryption, found: 'unencrypted, which is fine on this machine' }
        : {
            check: 'encryption',
            state: 'missing',
            found: 'mails go to the mail server in plain text',
            advice: 'Use smtps:// in WAYBILL_SMTP_URL, or a mail server that offers STARTTLS.',
          },
    !login
      ? { check: 'login', state: 'ok', found: 'WAYBILL_SMTP_URL has no user name' }
      : login.accepted
        ? { check: 'login', state: 'ok', found: login.response }
        : {
            check: 'login',
            state: 'failed',
            found: toOneLine(login.response),
            advice: 'Check the user name and the password in WAYBILL_SMTP_URL.',
          },
  ];
}

function adviceOn(failure: string, isLocal: boolean): string {
  // TLS has many reasons to refuse a certificate, and each of them names it.
  if (!/certificate/i.test(failure))
    return 'Start the mail server, or correct the host and the port in WAYBILL_SMTP_URL.';
  return isLocal
    ? 'Add ?ignoreTLS=true to WAYBILL_SMTP_URL: a mail server on this machine needs no encryption.'
    : 'Install a certificate on the mail server for the host in WAYBILL_SMTP_URL. If a private authority has issued it, name that authority’s certificate in NODE_EXTRA_CA_CERTS.';
}

async function handOver(
  { mailer, mailTemplates, policy, returnPaths, random }: Needs,
  facts: MailServerFacts,
  to: string,
): Promise<MailFinding> {
  if (facts.failure !== undefined || facts.login?.accepted === false) {
    return { check: 'mail', state: 'cannot tell', found: 'no mail was sent' };
  }
  const id = random.uuid();
  const advice = 'The reply says what the mail server rejected; its own log says more.';
  try {
    const { outcome, response } = await mailer.send({
      ...toOperatorsMail({ policy, returnPaths }, id, to),
      ...mailTemplates.test('', { to }),
    });
    const found = toOneLine(response);
    return outcome === 'sent'
      ? { check: 'mail', state: 'ok', found }
      : { check: 'mail', state: 'failed', found, advice };
  } catch (error) {
    return { check: 'mail', state: 'failed', found: toOneLine((error as Error).message), advice };
  }
}

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
