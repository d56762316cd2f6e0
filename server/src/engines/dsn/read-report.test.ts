import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { deliveryReport } from '../../../test/delivery-report.ts';
import { readReport } from './read-report.ts';

const to = 'bounces+00ff@example.org';
const about = '<01a1dca1-b6e4-73d7-b45e-3306c96c241d@files.example.org>';

describe('a report', () => {
  test('says whom it was sent to, which mail it is about, and what became of it', async () => {
    expect(
      await readReport(deliveryReport({ to, messageId: about, diagnostic: 'smtp; 550 5.1.1 no such user' })),
    ).toEqual({
      addresses: [to, to, to],
      aboutMessageId: about,
      recipients: [
        { action: 'failed', status: '5.1.1', diagnostic: '550 5.1.1 no such user', server: 'mail.example.net' },
      ],
    });
  });

  test('may go without the mail that it is about', async () => {
    expect((await readReport(deliveryReport({ to })))?.aboutMessageId).toBeUndefined();
  });

  test('may have long lines folded, comments, and other cases', async () => {
    const folded = deliveryReport({
      to,
      action: 'Failed',
      status: '5.2.2 (mailbox full)',
      diagnostic: 'smtp; 552\r\n 5.2.2 mailbox\r\n\tfull',
      contentType: 'Multipart/Report;\r\n\tReport-Type="delivery-status"',
    });
    expect((await readReport(folded))?.recipients).toEqual([
      { action: 'failed', status: '5.2.2', diagnostic: '552 5.2.2 mailbox full', server: 'mail.example.net' },
    ]);
  });

  test('names the server that the mail was handed to, and nothing else that it claims', async () => {
    const readServer = async (line: string) => {
      const report = deliveryReport({ to }).toString().replace('Action: ', `${line}\r\nAction: `);
      return (await readReport(Buffer.from(report)))?.recipients[0]?.server;
    };
    expect(await readServer('Remote-MTA: dns; mx.example.net')).toBe('mx.example.net');
    for (const name of ['a b', '<x@example.net>', 'x'.repeat(256), '']) {
      expect(await readServer(`Remote-MTA: dns; ${name}`)).toBe('');
    }
  });
});

describe('no report is', () => {
  test.each([
    ['an automatic reply', 'text/plain'],
    ['a mail with a report in it', 'multipart/mixed'],
    ['a report of a person having read it', 'multipart/report; report-type=disposition-notification'],
    ['a report without a type', 'multipart/report'],
  ])('%s', async (_, contentType) => {
    expect(await readReport(deliveryReport({ to, contentType }))).toBeUndefined();
  });

  test('a report inside of a mail that a report returns', async () => {
    const inner = deliveryReport({ to, messageId: about }).toString();
    const nested = `Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\nTo: ${to}\r\n\r\n--b\r\nContent-Type: message/rfc822\r\n\r\n${inner}\r\n--b--\r\n`;
    expect(await readReport(Buffer.from(nested))).toBeUndefined();
  });

  test('one with two verdicts', async () => {
    const report = deliveryReport({ to }).toString();
    const [head = '', part = '', end = ''] = report.split(
      /(?=--AB12[^-]*Content-Description: Delivery report)|(?=--AB12[^\r]*--)/,
    );
    expect(await readReport(Buffer.from(head + part + part + end))).toBeUndefined();
    expect(await readReport(Buffer.from(head + part + end))).toBeDefined();
  });

  test.prop([fc.uint8Array({ maxLength: 4096 })])('any bytes', async (bytes) => {
    expect(await readReport(Buffer.from(bytes))).toBeUndefined();
  });

  test('parts within parts within parts', async () => {
    const depth = 5000;
    const open = Array.from(
      { length: depth },
      (_, index) =>
        `Content-Type: multipart/report; report-type=delivery-status; boundary=b${index}\r\n\r\n--b${index}\r\n`,
    );
    expect(await readReport(Buffer.from(`To: ${to}\r\n${open.join('')}`))).toBeUndefined();
  });
});

test.prop([fc.nat(2_000)])('a report that was cut off never says more than the whole one', async (length) => {
  const whole = deliveryReport({ to, messageId: about });
  const report = await readReport(whole.subarray(0, length));
  for (const { action, status } of report?.recipients ?? []) {
    expect(['failed', '5.1.1'].some((value) => value.startsWith(action))).toBe(true);
    expect('5.1.1'.startsWith(status)).toBe(true);
  }
});

test('a report of many recipients and addresses is bounded', async () => {
  const groups = 'Final-Recipient: rfc822; a@b\r\nAction: failed\r\nStatus: 5.0.0\r\n\r\n'.repeat(10_000);
  const report = deliveryReport({ to: `${'x@y.example, '.repeat(1000)}${to}` })
    .toString()
    .replace('Final-Recipient', `${groups}Final-Recipient`);
  const read = await readReport(Buffer.from(report));
  expect([read?.recipients.length, read?.addresses.length]).toEqual([20, 20]);
});

test('an address line of any length is read at once', async () => {
  const report = deliveryReport({ to: 'x'.repeat(60_000), messageId: about });
  const begin = performance.now();
  await readReport(report);
  // Quadratic time would take seconds.
  expect(performance.now() - begin).toBeLessThan(1000);
});
