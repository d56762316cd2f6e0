import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { createSecureContext, Server as TlsServer } from 'node:tls';
import type { Logger } from 'pino';
import { SetupError } from '../../domain/setup-error.ts';

/**
 * The interval at which the files are read again: they are small, and reading also notices a symbolic link that points
 * to another file.
 */
const checkMs = 10_000;
/**
 * The time before a certificate's end in which it is about to end: one that is renewed by itself is renewed earlier.
 */
const soonMs = 14 * 86_400_000;

export interface CertificateFiles {
  readonly certificate: string;
  readonly key: string;
}

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Throws if the files do not contain a usable certificate and key. */
export function readCertificate(files: CertificateFiles): Certificate {
  try {
    const found = loadCertificate(files);
    if ((statSync(files.key).mode & 0o007) !== 0) {
      throw new Error(`${files.key} is open to every user of this machine; run: chmod o= ${files.key}`);
    }
    createSecureContext(found);
    return found;
  } catch (cause) {
    throw new SetupError(
      `WAYBILL_TLS_CERTIFICATE_FILE and WAYBILL_TLS_KEY_FILE cannot be used: ${(cause as Error).message}.`,
      { cause },
    );
  }
}

function loadCertificate({ certificate, key }: CertificateFiles): Certificate {
  return { cert: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') };
}

/**
 * Serves a new certificate on new connections soon after the files hold one; open connections stay as they are. One
 * that cannot be used is logged once, and the old one is kept.
 */
export function reloadCertificate(
  server: Server,
  files: CertificateFiles,
  { served, log, now = Date.now }: { readonly served: Certificate; readonly log: Logger; readonly now?: () => number },
): { stop(): void; expiresAt(): Date } {
  let seen = identity(() => served);
  const judge = ({ cert }: Certificate) => {
    const until = new X509Certificate(cert).validToDate;
    const leftMs = until.getTime() - now();
    if (leftMs < 0) log.error({ until }, 'the certificate has expired: clients refuse the connection');
    else if (leftMs < soonMs) log.warn({ until }, 'the certificate expires soon');
    return until;
  };
  let expiresAt = judge(served);
  const timer = setInterval(() => {
    const found = identity(() => loadCertificate(files));
    if (found === seen) return;
    seen = found;
    try {
      const renewed = readCertificate(files);
      (server as unknown as TlsServer).setSecureContext(renewed);
      log.info('serving a new certificate');
      expiresAt = judge(renewed);
    } catch (err) {
      log.error({ err }, 'the new certificate cannot be used; the old one is still served');
    }
  }, checkMs).unref();
  return { stop: () => clearInterval(timer), expiresAt: () => expiresAt };
}

function identity(certificate: () => Certificate): string {
  try {
    const { cert, key } = certificate();
    return `${cert}\n${key}`;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Sockets as requests know them: with TLS, those that carry the decrypted bytes. */
export function onConnection(server: Server, listener: (socket: Socket) => void): void {
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', listener);
}
