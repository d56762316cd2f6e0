import { BlockList, isIPv6 } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { parseConnectionUrl } from 'nodemailer/lib/shared';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { MailServerFacts } from '../../domain/ports/mailer.ts';

const timeoutMs = 10_000;

/** Connects to the mail server and logs in, and reports how far that got. */
export async function probeMailServer(url: string): Promise<MailServerFacts> {
  const { auth, ...options } = parseConnectionUrl(url);
  const connection = new SMTPConnection({
    ...options,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
  });
  const isLocal = isLoopback(options.host ?? '');
  try {
    await new Promise<void>((resolve, reject) => {
      connection.once('error', reject);
      connection.connect((error) => (error ? reject(error) : resolve()));
    });
    const tls = connection.secure ? ((connection._socket as TLSSocket).getProtocol() ?? 'TLS') : undefined;
    if (!auth) return { failure: undefined, isLocal, tls, login: undefined };
    const refusal = await new Promise<Error | null>((resolve) => {
      connection.once('error', resolve);
      connection.login({ credentials: { user: auth.user, pass: auth.pass } }, resolve);
    });
    const response = refusal ? refusal.message : 'the server took the user name and password';
    return { failure: undefined, isLocal, tls, login: { accepted: !refusal, response } };
  } catch (error) {
    return { failure: (error as Error).message, isLocal, tls: undefined, login: undefined };
  } finally {
    // It may fail again while it is being closed.
    connection.on('error', () => undefined);
    connection.close();
  }
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

function isLoopback(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '');
  return address === 'localhost' || loopback.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}
