import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type Socket, connect as tcpConnect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as tlsConnect } from 'node:tls';
import type { Certificate } from '../src/http/server/tls.ts';

const faketime = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';

/** A certificate that nobody else vouches for, valid for a number of days from a time on, such as `-2d`. */
export function makeCertificate(name = 'localhost', { days = 1, from = '+0' } = {}): Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-certificate-'));
  const [cert, key] = ['cert.pem', 'key.pem'].map((file) => join(folder, file)) as [string, string];
  try {
    const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', `${days}`];
    execFileSync('openssl', ['req', ...kind, '-subj', `/CN=${name}`, '-keyout', key, '-out', cert], {
      stdio: 'pipe',
      env: { ...process.env, ...(from === '+0' ? {} : { LD_PRELOAD: faketime, FAKETIME: from }) },
    });
    return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export interface Transport {
  readonly name: string;
  readonly certificate: Certificate | undefined;
  connect(port: number): Socket;
}

/** The protocols that carry HTTP, for tests of behaviour that both must have. */
export const transports: readonly Transport[] = [
  { name: 'TCP', certificate: undefined, connect: (port) => tcpConnect(port, '127.0.0.1') },
  {
    name: 'TLS',
    certificate: makeCertificate(),
    connect: (port) => tlsConnect({ port, host: '127.0.0.1', rejectUnauthorized: false }),
  },
];
