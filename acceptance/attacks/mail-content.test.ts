// A sender's text is shown to the receiver literally: it adds no header, no recipient, no markup and no link to
// our site.
import { expect, test } from 'vitest';
import type { Mail } from '../../tools/shared/mailbox.ts';
import { freshClient, uniqueAddress } from '../lib/accounts.ts';
import { succeeded } from '../lib/http/client.ts';
import { linkTokens, mailsTo, waitForMail } from '../lib/people/mailbox.ts';
import { dispatch, introduce, stage } from '../lib/scenario.ts';
import { demo } from '../lib/servers/running-demo.ts';

const file = { name: 'a.txt', content: 'a' };

const headerNames = (mail: Mail): string[] => mail.email.headers.map(({ key }) => key);

test('line breaks in the message add no header and no recipient', async () => {
  const client = await freshClient('injection');
  const [receiver, victim, sentinel] = [uniqueAddress('receiver'), uniqueAddress('victim'), uniqueAddress('sentinel')];
  const ddmessage = `hello\r\nBcc: ${victim}\r\nX-Injected: yes\r\n\r\n.\r\nRCPT TO:<${victim}>`;
  await dispatch(client, { to: [receiver], files: [file], parameters: { ddmessage } });
  const mail = await waitForMail(receiver);
  expect(headerNames(mail)).not.toContain('bcc');
  expect(headerNames(mail)).not.toContain('x-injected');
  expect(mail.email.text).toContain(`Bcc: ${victim}`);
  await dispatch(client, { to: [sentinel], files: [file] });
  await waitForMail(sentinel);
  expect(await mailsTo(victim)).toEqual([]);
  expect(await mailsTo(receiver)).toHaveLength(1);
});

test('line breaks in a nick are refused, or add no header', async () => {
  const client = await freshClient('nick');
  const receiver = uniqueAddress('receiver');
  const nick = 'Ann\r\nX-Injected: yes';
  succeeded(await client.addContacts([{ email: receiver }]));
  const set = await client.setReceivers([{ email: receiver, nick, name: nick }]);
  if (set.status === 400) return;
  succeeded(set);
  succeeded(await client.files());
  succeeded(await client.upload(file));
  succeeded(await client.createDrop({}));
  const mail = await waitForMail(receiver);
  expect(headerNames(mail)).not.toContain('x-injected');
  expect(mail.email.to?.map((mailbox) => mailbox.address)).toEqual([receiver]);
});

test('markup and templates in the message are shown as they were written', async () => {
  const client = await freshClient('markup');
  const receiver = uniqueAddress('receiver');
  const ddmessage = `<script>alert(1)</script> <img src=x onerror=alert(2)> {{7*7}} \${7*7} &amp; "'`;
  await dispatch(client, { to: [receiver], files: [file], parameters: { ddmessage } });
  const mail = await waitForMail(receiver);
  // The text part quotes the message and wraps its lines.
  expect(mail.email.text?.replaceAll('\n> ', ' ')).toContain(ddmessage);
  expect(mail.email.html ?? '').not.toMatch(/<script|<img[^>]*onerror/i);
  if (mail.email.html !== undefined) {
    expect(mail.email.html).toMatch(/&lt;script(?:&gt;|>)alert\(1\)&lt;\/script/);
    expect(mail.email.html).toContain('{{7*7}}');
    expect(mail.email.html).toMatch(/&amp;amp;/);
  }
});

test('the link has the configured address, whatever the Host header of the request', async () => {
  const client = await freshClient('host');
  const receiver = uniqueAddress('receiver');
  await introduce(client, [receiver]);
  await stage(client, { to: [receiver], files: [file] });
  succeeded(
    await client.createDrop(
      {},
      { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https', Forwarded: 'host=evil.example' },
    ),
  );
  const mail = await waitForMail(receiver);
  expect(linkTokens(mail, 'd')).toHaveLength(1);
  expect(mail.raw).not.toContain('evil.example');
  const links = `${mail.email.text}`.match(/https?:\/\/[^\s>"]+/g) ?? [];
  expect(links.filter((link) => !link.startsWith(demo().base_url))).toEqual([]);
});
