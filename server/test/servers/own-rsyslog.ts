import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closedPort } from '../../../tools/shared/tcp.ts';
import type { Certificate } from '../../src/http/server/tls.ts';
import { type Daemon, startDaemon } from './own-daemon.ts';

const document = new URL('../../../docs/audit-forwarding.md', import.meta.url);

/** A real rsyslog for one test, with the configuration of the documentation. It can be killed and started again. */
export async function startRsyslog(certificate: Certificate, changes: Readonly<Record<string, string>> = {}) {
  const port = await closedPort();
  const folder = mkdtempSync(join(tmpdir(), 'waybill-rsyslog-'));
  const [output, configuration] = [join(folder, 'audit.log'), join(folder, 'rsyslog.conf')];
  mkdirSync(join(folder, 'work'));
  writeFileSync(join(folder, 'ca.pem'), certificate.cert);
  writeFileSync(join(folder, 'server.pem'), certificate.cert);
  writeFileSync(join(folder, 'server.key'), certificate.key);
  const replaced = {
    '/etc/rsyslog-waybill': folder,
    '/var/log/waybill-audit.log': output,
    '6514': `${port}`,
    ...changes,
  };
  const [, shown = ''] = /```conf\n(# rsyslog[^]*?)```/.exec(readFileSync(document, 'utf8')) ?? [];
  const text = Object.entries(replaced).reduce((before, [from, to]) => before.replaceAll(from, to), shown);
  writeFileSync(configuration, `global(workDirectory="${folder}/work")\n${text}`);
  const start = () => startDaemon(port, 'rsyslogd', '-n', '-f', configuration, '-i', join(folder, 'pid'));
  let daemon: Daemon | undefined = await start();
  const kill = async () => {
    await daemon?.[Symbol.asyncDispose]();
    daemon = undefined;
    rmSync(join(folder, 'pid'), { force: true });
  };
  return {
    port,
    caFile: join(folder, 'ca.pem'),
    /** The lines that it has written; one that a kill cut off does not count. */
    readLines: () => (existsSync(output) ? readFileSync(output, 'utf8').split('\n').slice(0, -1) : []),
    kill,
    async restart() {
      await kill();
      daemon = await start();
    },
    signal: (name: 'SIGSTOP' | 'SIGCONT') => daemon && process.kill(daemon.pid, name),
    async [Symbol.asyncDispose]() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
