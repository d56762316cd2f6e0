import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

export interface ScriptedSmtp extends AsyncDisposable {
  readonly url: string;
  /** The Message-IDs of the mails it accepted, in order. */
  readonly taken: readonly string[];
}

/**
 * A mail server with behaviour that no real one offers: it refuses every login, or lets the test act at the moment when
 * it has accepted a mail but not yet replied.
 */
export async function scriptedSmtp({
  login = '235 2.7.0 welcome',
  beforeTaken = async () => {},
}: {
  login?: string;
  beforeTaken?: () => Promise<void>;
}): Promise<ScriptedSmtp> {
  const taken: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    const say = (line: string) => socket.write(`${line}\r\n`);
    let inMessage = false;
    say('220 scripted');
    createInterface({ input: socket }).on('line', (line) => {
      if (inMessage) {
        const id = /^Message-ID: (.+)$/i.exec(line)?.[1];
        if (id !== undefined) taken.push(id);
        if (line !== '.') return;
        inMessage = false;
        void beforeTaken().then(() => say('250 2.0.0 taken'));
      } else if (/^EHLO/i.test(line)) say('250-scripted\r\n250 AUTH PLAIN');
      else if (/^AUTH/i.test(line)) say(login);
      else if (/^DATA/i.test(line)) {
        inMessage = true;
        say('354 go ahead');
      } else say('250 2.0.0 ok');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return {
    url: `smtp://user:password@127.0.0.1:${address.port}`,
    taken,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
