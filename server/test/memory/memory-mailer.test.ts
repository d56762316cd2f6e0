import { mailerContract } from '../contracts/mailer-contract.ts';
import { memoryMailer } from './memory-mailer.ts';

const mailer = memoryMailer();

mailerContract('the mailer in memory', mailer, async (address) =>
  mailer.sent.filter(({ to }) => to === address).map(({ envelopeFrom: _, ...mail }) => mail),
);
