import { createInterface } from 'node:readline';
import { startPeer } from '../tcp.ts';

export type SmtpStage = 'greeting' | 'EHLO' | 'STARTTLS' | 'AUTH' | 'MAIL FROM' | 'RCPT TO' | 'DATA' | 'message';

const usualReplies: Record<SmtpStage, string> = {
  greeting: '220 scripted',
  EHLO: '250-scripted\r\n250-AUTH PLAIN\r\n250 ENHANCEDSTATUSCODES',
  STARTTLS: '454 4.7.0 not today',
  AUTH: '235 2.7.0 welcome',
  'MAIL FROM': '250 2.1.0 ok',
  'RCPT TO': '250 2.1.5 ok',
  DATA: '354 go ahead',
  message: '250 2.0.0 taken',
};

/**
 * A mail server that replies at a stage as the test says, and otherwise as a working one would; null: no reply at all.
 * Real servers cannot be made to fail at every stage.
 */
export async function scriptedSmtp(
  replies: Partial<Record<SmtpStage, string | null>>,
): Promise<{ url: string; taken: () => number } & AsyncDisposable> {
  let taken = 0;
  const peer = await startPeer((socket) => {
    const say = (stage: SmtpStage) => {
      const reply = stage in replies ? replies[stage] : usualReplies[stage];
      if (stage === 'message' && reply?.startsWith('2')) taken += 1;
      if (typeof reply === 'string') socket.write(`${reply}\r\n`);
      return reply?.startsWith('3') === true;
    };
    let inMessage = false;
    say('greeting');
    createInterface({ input: socket }).on('line', (line) => {
      if (inMessage) {
        if (line !== '.') return;
        inMessage = false;
        say('message');
        return;
      }
      const stage = stages.find((candidate) => line.toUpperCase().startsWith(candidate));
      if (stage === 'DATA') inMessage = say(stage);
      else if (stage) say(stage);
      else socket.write('250 2.0.0 ok\r\n');
    });
  });
  return {
    url: `smtp://user:expired-password@127.0.0.1:${peer.port}`,
    taken: () => taken,
    [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
  };
}

const stages = ['EHLO', 'STARTTLS', 'AUTH', 'MAIL FROM', 'RCPT TO', 'DATA'] as const;
