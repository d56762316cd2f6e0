// A real rsyslog over TLS, with certificates that fit and certificates that do not.
import { expect, onTestFinished, test, vi } from 'vitest';
import { makeAuditEntry } from '../../../test/audit-entry.ts';
import { startRsyslog } from '../../../test/servers/own-rsyslog.ts';
import { makeCertificate } from '../../../test/transports.ts';
import type { AuditTargetError } from '../../domain/audit/audit-target.ts';
import { type SyslogTargetOptions, syslogTarget } from './target.ts';

const certificate = makeCertificate();
const stranger = makeCertificate();
const { cert: ca } = certificate;

function openTarget(port: number, tls: Awaited<ReturnType<SyslogTargetOptions['readTls']>>, host = 'localhost') {
  const target = syslogTarget({ host, port, hostname: 'files.example.org', readTls: async () => tls });
  onTestFinished(() => target.close());
  return target;
}

/** Sends an entry, and then only connects as the doctor does: both must have the same result. */
async function tryTarget(...given: Parameters<typeof openTarget>): Promise<string> {
  const target = openTarget(...given);
  const signal = AbortSignal.timeout(20_000);
  const explain = ({ message, remedy }: AuditTargetError) => `${message}. ${remedy}`;
  const sent = await target.send([makeAuditEntry()], signal).then(() => 'accepted', explain);
  target.close();
  expect(await target.probe(signal).then(() => 'accepted', explain)).toBe(sent);
  return sent;
}

test('a server must have a certificate for its name, of a known authority', async () => {
  await using rsyslog = await startRsyslog(certificate);
  const { port } = rsyslog;
  const unknown = await tryTarget(port, { ca: stranger.cert });
  expect(unknown).toMatch(/^self-signed certificate\. .*its path in WAYBILL_AUDIT_CA_FILE\.$/);
  const otherName = await tryTarget(port, { ca }, '127.0.0.1');
  expect(otherName).toMatch(/^Hostname\/IP does not match .* Use a host name .* in WAYBILL_AUDIT_SYSLOG_URL, /);
  expect(await tryTarget(port, { ca })).toBe('accepted');
  await vi.waitFor(() => expect(rsyslog.readLines()).toHaveLength(1), { timeout: 10_000 });

  await rsyslog.kill();
  const down = await tryTarget(port, { ca });
  expect(down).toMatch(/^connect ECONNREFUSED .*\. Start the target, .* or correct WAYBILL_AUDIT_SYSLOG_URL\. /);
});

test('a server that asks for a certificate accepts one of its authority, and no other', async () => {
  await using rsyslog = await startRsyslog(certificate, { '"anon"': '"x509/certvalid"' });
  const { port } = rsyslog;
  const ask = /The target asks for a certificate: set WAYBILL_AUDIT_CERTIFICATE_FILE and WAYBILL_AUDIT_KEY_FILE /;
  expect(await tryTarget(port, { ca })).toMatch(ask);
  expect(await tryTarget(port, { ca, ...stranger })).toMatch(ask);
  expect(await tryTarget(port, { ca, ...certificate })).toBe('accepted');
  await vi.waitFor(() => expect(rsyslog.readLines()).toHaveLength(1), { timeout: 10_000 });
});
