import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { Finding } from '../../domain/doctor/finding.ts';
import { certificateFinding, fault, ok, reason } from '../../domain/doctor/finding.ts';
import { type CertificateFiles, readCertificate } from './tls.ts';

export interface TlsExamination {
  readonly files: CertificateFiles;
  readonly publicUrl: string;
  readonly now?: () => number;
}

/** Examines the certificate of `serve` itself; that of a proxy can only be seen through the public URL. */
export async function* examineTls({ files, publicUrl, now = Date.now }: TlsExamination): AsyncGenerator<Finding> {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(readCertificate(files).cert);
  } catch (error) {
    const remedy = `Put a certificate and its key there, readable for Waybill’s group only: chown root:waybill ${files.key} && chmod 640 ${files.key}`;
    yield fault('tls.files', `\`serve\` does not start: ${reason(error)}.`, remedy);
    return;
  }
  yield ok('tls.files', 'The certificate and its key can be used.');
  yield certificateFinding('tls.validity', certificate.validToDate, now());
  const { hostname } = new URL(publicUrl);
  const host = hostname.replace(/^\[|\]$/g, '');
  const isForHost = isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host);
  yield isForHost === undefined
    ? fault(
        'tls.name',
        `The certificate is not for ${host}, but for ${certificate.subjectAltName ?? certificate.subject}.`,
        `Install a certificate for ${host}, or correct WAYBILL_PUBLIC_URL.`,
      )
    : ok('tls.name', `The certificate is for ${host}.`);
}
