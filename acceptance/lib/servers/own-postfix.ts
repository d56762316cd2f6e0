import { execFile } from 'node:child_process';
import { chownSync, mkdirSync, readFileSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { enginesDir } from '../../../tools/demo/environment.ts';
import { isReachable, OwnEngine } from './own-engines.ts';

const run = promisify(execFile);

/** The user that runs the command: Postfix allows neither root nor its own user. */
const nobody = { uid: 65_534, gid: 65_534 };

/**
 * With the settings of the shared one, and recipients whose mail it takes and cannot deliver: `late@receiver.test` never,
 * `slow@receiver.test` not yet. What comes back to `mailbox.test` is delivered to a Maildir, and to `pipe.test` handed to
 * a command, as docs/mail.md has it set up.
 */
export class OwnPostfix extends OwnEngine {
  static start(): Promise<OwnPostfix> {
    const shared = `${enginesDir}/postfix`;
    return this.make({
      async prepare(folder) {
        for (const name of ['conf', 'queue', 'own']) mkdirSync(join(folder, name));
        chownSync(join(folder, 'own'), nobody.uid, nobody.gid);
        for (const name of ['data', 'mail', ...maildir('mail/all'), ...maildir('mail/bounces')]) {
          await run('install', ['-d', '-o', 'postfix', '-g', 'postfix', '-m', '755', join(folder, name)]);
        }
        const settings = readFileSync(`${shared}/conf/main.cf`, 'utf8')
          .replaceAll(/^(queue_directory|data_directory|virtual_mailbox_base) = .*\/(\w+)$/gm, `$1 = ${folder}/$2`)
          .replace(/^virtual_mailbox_maps.*$/m, '');
        writeFileSync(join(folder, 'conf/main.cf'), settings + ownSettings);
      },
      command(port, folder) {
        const services = readFileSync(`${shared}/conf/master.cf`, 'utf8')
          .replace(/^127\S+/m, `127.0.0.1:${port}`)
          .replace(/^(qmgr .*)300/m, '$1  1');
        writeFileSync(join(folder, 'conf/master.cf'), services + bounceService(join(folder, 'own/bounce')));
        // Postfix waits until its configuration is two seconds old, in case it is still being written.
        for (const name of ['main.cf', 'master.cf']) utimesSync(join(folder, 'conf', name), 1, 1);
        const start = `postfix -c ${folder}/conf check; exec /usr/lib/postfix/sbin/master -c ${folder}/conf -d -s`;
        return ['sh', '-c', start];
      },
      responses: (port) => isReachable(port, 'QUIT\r\n', /^220/),
    });
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}?ignoreTLS=true`;
  }

  get mailFolder(): string {
    return join(this.folder, 'mail/all');
  }

  get bounceFolder(): string {
    return join(this.folder, 'mail/bounces');
  }

  /** Writes a file that only the command may read. */
  entrust(name: string, content: string): string {
    const path = join(this.folder, 'own', name);
    writeFileSync(`${path}.new`, content, { mode: 0o700 });
    chownSync(`${path}.new`, nobody.uid, nobody.gid);
    renameSync(`${path}.new`, path);
    return path;
  }

  /** Sets the command that gets every mail that comes back to `pipe.test`. */
  runForBounces(command: string, environment: Record<string, string>): void {
    const settings = Object.entries(environment).map(([name, value]) => `export ${name}='${value}'\n`);
    this.entrust('bounce', `#!/bin/sh\n${settings.join('')}exec ${command}\n`);
  }
}

const maildir = (folder: string) => [folder, ...['new', 'cur', 'tmp'].map((name) => `${folder}/${name}`)];

const ownSettings = `
recipient_delimiter = +
virtual_mailbox_maps = regexp:{{ /@mailbox\\.test$$/ bounces/ }} static:all/
transport_maps = inline:{
  { pipe.test = waybill-bounces: },
  { late@receiver.test = no-such-mailbox: },
  { slow@receiver.test = mailbox-is-full: } }
# Tried again, and its sender warned, within seconds.
delay_warning_time = 1s
queue_run_delay = 1s
minimal_backoff_time = 1s
`;

const bounceService = (command: string) => `
waybill-bounces unix -       n      n      -      4       pipe
  flags=Rq user=nobody argv=${command}
no-such-mailbox unix -       n      n      -      -       pipe
  user=nobody argv=/bin/sh -c { echo no such mailbox; exit 67 }
mailbox-is-full unix -       n      n      -      -       pipe
  user=nobody argv=/bin/sh -c { echo mailbox is full; exit 75 }
`;
