import { describe, expect, test } from 'vitest';
import { hostile, mailStates } from '../testing/view-states.tsx';
import { codeSms } from './mails/code-mail.ts';
import { dropMail } from './mails/drop-mail.ts';
import { receiptMail } from './mails/receipt-mail.ts';
import { createWords } from './words.ts';

const all = createWords({ fallback: 'en' });
const languages = all.languages.map(({ language }) => language);
const english = all.for('en');
const link = 'https://files.example.com/d/token-of-the-receiver';
const deadline = new Date('2026-11-21T14:30:00Z');
const drop = {
  sender: 'kim@example.com',
  message: 'First line\nsecond line',
  files: [{ name: 'plan.pdf', sizeBytes: 1_400_000 }],
  fileCount: 3,
  totalBytes: 4_200_000,
  deadline,
  link,
};

function plain(text: string): string {
  return text.replace(/[\u00a0\u202f]/g, ' ');
}

describe('a drop’s mail', () => {
  const mail = dropMail(english, drop);

  test('says who, what, where and until when, in both parts', () => {
    expect(mail.subject).toBe('kim@example.com has sent you 3 files');
    for (const part of [plain(mail.text), plain(mail.html)]) {
      for (const said of [
        'plan.pdf',
        '1.4 MB',
        'and 2 more files',
        '21 November 2026 at 14:30 UTC',
        link,
        'second line',
      ]) {
        expect(part).toContain(said);
      }
    }
  });

  test('says of every file whether it was scanned, in both parts', () => {
    const files = [
      { name: 'plan.pdf', sizeBytes: 1, scan: 'clean' as const },
      { name: 'film.mov', sizeBytes: 1, scan: 'unscanned' as const },
    ];
    const scanned = dropMail(english, { ...drop, files });
    for (const part of [scanned.text, scanned.html]) {
      expect(part).toMatch(/plan\.pdf[^]*Scanned for viruses: nothing found[^]*film\.mov[^]*Not scanned for viruses/);
    }
    expect(
      receiptMail(english, { receiver: 'a@b.example', files, sentAt: deadline, completedAt: deadline }).text,
    ).not.toContain('scanned');
  });

  test('has the link as a button and as an address to copy', () => {
    expect(mail.html.split(`href="${link}"`)).toHaveLength(3);
    expect(mail.html).toContain(`>${link}</a>`);
    expect(mail.text).toContain(`\n${link}\n`);
  });

  test('asks nothing of the network', () => {
    expect(mail.html).not.toMatch(/<(?:img|link|script|iframe)|url\(|@import/i);
  });

  test('names its language and direction', () => {
    expect(dropMail(all.for('fr'), drop).html).toContain('<html lang="fr" dir="ltr">');
  });

  test('quotes the sender’s words', () => {
    expect(mail.text).toContain('> First line\n> second line\n');
  });
});

test('a mail about many files lists the first of them', () => {
  const files = Array.from({ length: 200 }, (_, index) => ({ name: `scan-${index}.tiff`, sizeBytes: 1 }));
  const mail = receiptMail(english, { receiver: 'kim@example.com', files, sentAt: deadline, completedAt: deadline });
  expect(mail.text).toContain('and 180 more files');
  // Mailboxes cut off what is longer than about 100 kB.
  expect(mail.html.length).toBeLessThan(60_000);
});

describe.each(languages)('in %s', (language) => {
  const words = all.for(language);

  test('the text parts keep to their width', () => {
    for (const [name, { text }] of Object.entries(mailStates(words))) {
      const lines = text.split('\n').filter((line) => !line.startsWith('https://'));
      expect([name, lines.filter((line) => line.length > 78)]).toEqual([name, []]);
    }
  });

  test.each([1, 10, 59])('a code is one text message (%d minutes)', (minutes) => {
    const sms = codeSms(words, { code: '482913', minutes });
    expect(sms).toContain('482913');
    expect(sms.length).toBeLessThanOrEqual(160);
    // GSM 03.38: anything else would halve what fits.
    expect(sms).toMatch(/^[A-Za-z0-9 @£$¥èéùìòÇØøÅåÆæßÉ!"#¤%&'()*+,\-./:;<=>?¡ÄÖÑܧ¿äöñüà\r\n]*$/);
  });
});

describe('what strangers write is shown, never obeyed', () => {
  const mails = mailStates(english, hostile);

  test.each(Object.keys(mails))('%s', (name) => {
    const { subject, text, html } = mails[name] ?? { subject: '', text: '', html: '' };
    expect(subject).not.toMatch(/[\p{Cc}\u2028\u2029\u202A-\u202E]/u);
    expect(subject).toContain('"><script>alert(1)</script>');
    expect(subject).toContain('{{7*7}} ${7*7} $t(common.from) Bcc: a@evil.example');
    expect(html).toContain('&lt;script>alert(1)&lt;/script>');
    expect(html).not.toMatch(/<(?:script|svg|img|iframe)/i);
    expect(html.match(/<style>/g)).toHaveLength(1);
    expect(text).not.toMatch(/[^\P{Cc}\n]/u);
    expect(text).not.toMatch(/^(?:Bcc:|\.$)/m);
  });

  test('a name written from right to left does not turn the sentence around it', () => {
    expect(dropMail(english, { ...drop, sender: 'مها' }).subject).toBe('\u2068مها\u2069 has sent you 3 files');
  });

  test('a code is not in the subject', () => {
    expect(mails['code']?.subject).not.toContain('482913');
    expect(mails['code']?.text).toContain('482913');
  });
});

test.each(languages)('a receipt in %s claims that the files were sent, not that they arrived', (language) => {
  const files = [{ name: 'plan.pdf', sizeBytes: 1 }];
  const mail = receiptMail(all.for(language), {
    receiver: 'a@b.example',
    files,
    sentAt: deadline,
    completedAt: deadline,
  });
  expect(mail.text).toMatch(
    /sent in full|vollständig gesendet|envoyé en entier|enviado completo|skickats i sin helhet/,
  );
  expect(mail.text).not.toMatch(
    /arrived|received|angekommen|erhalten|arrivé|reçu|llegado|recibido|kommit fram|tagit emot/,
  );
});
