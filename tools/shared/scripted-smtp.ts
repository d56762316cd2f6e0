import { createInterface } from 'node:readline';
import { startPeer } from './tcp.ts';

const stages = ['EHLO', 'STARTTLS', 'AUTH', 'MAIL FROM', 'RCPT TO', 'DATA'] as const;
export type SmtpStage = 'greeting' | (typeof stages)[number] | 'message';

const usualReplies: Readonly<Record<SmtpStage, string>> = {
  greeting: '220 scripted',
  EHLO: '250-scripted\r\n250-AUTH PLAIN\r\n250 ENHANCEDSTATUSCODES',
  STARTTLS: '454 4.7.0 not today',
  AUTH: '235 2.7.0 welcome',
  'MAIL FROM': '250 2.1.0 ok',
  'RCPT TO': '250 2.1.5 ok',
  DATA: '354 go ahead',
  message: '250 2.0.0 accepted',
};

export interface ScriptedSmtp extends AsyncDisposable {
  /** Includes a user name and a password. */
  readonly url: string;
  /** Message-IDs of the accepted mails, in order. */
  readonly accepted: readonly string[];
}

/**
 * Starts a mail server that gives the replies of the test, and otherwise those of a working server; null means no reply
 * at all. `beforeAccepted` runs when the server has accepted a mail but not yet replied. Real servers can do neither at
 * every stage.
 */
export async function startScriptedSmtp(
  replies: Partial<Record<SmtpStage, string | null>> = {},
  beforeAccepted: () => Promise<void> = async () => {},
): Promise<ScriptedSmtp> {
  const accepted: string[] = [];
  const peer = await startPeer((socket) => {
    const replyTo = (stage: SmtpStage) => (stage in replies ? replies[stage] : usualReplies[stage]) ?? undefined;
    const send = (reply: string | undefined) => {
      if (reply !== undefined) socket.write(`${reply}\r\n`);
    };
    let message: string[] | undefined;
    const endMessage = async (lines: readonly string[]) => {
      const reply = replyTo('message');
      if (reply?.startsWith('2')) {
        accepted.push(lines.map((line) => /^Message-ID: (.+)$/i.exec(line)?.[1]).find((id) => id !== undefined) ?? '');
        await beforeAccepted();
      }
      send(reply);
    };
    send(replyTo('greeting'));
    createInterface({ input: socket }).on('line', (line) => {
      if (message) {
        if (line !== '.') {
          message.push(line);
          return;
        }
        void endMessage(message);
        message = undefined;
        return;
      }
      const stage = stages.find((candidate) => line.toUpperCase().startsWith(candidate));
      const reply = stage ? replyTo(stage) : '250 2.0.0 ok';
      if (stage === 'DATA' && reply?.startsWith('3')) message = [];
      send(reply);
    });
  });
  return {
    url: `smtp://user:password@127.0.0.1:${peer.port}`,
    accepted,
    [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
  };
}
