import { describe, expect, test } from 'vitest';
import { plainOperator } from '../../../test/plain-operator.ts';
import { hostile, mailStates } from '../../../test/view-states.tsx';
import { contrast } from '../colors.ts';
import { createTranslators } from '../texts/translator.ts';
import { toMailLogo } from './mail-logo.ts';
import { createMailTemplates } from './mail-templates.ts';
import { codeSms } from './receiver-mails.ts';

const all = createTranslators({ fallback: 'en' });
const languages = all.languages.map(({ language }) => language);
const english = all.for('en');
const mailTemplates = createMailTemplates(all, plainOperator);
const link = 'https://files.example.com/d/token-of-the-receiver';
const stopLink = 'https://files.example.com/m/token-to-stop';
const deadline = new Date('2026-11-21T14:30:00Z');
const to = 'kim@receiver.example';
const clean = { scan: 'clean', unscannedReason: null } as const;
const forAccount = { page: undefined, told: undefined };
const receipt = {
  ...forAccount,
  to,
  reference: 'WB-7F3K-29QD',
  receiver: 'a@b.example',
  files: [{ name: 'plan.pdf', path: 'plan.pdf', sizeBytes: 1, ...clean }],
  fileCount: 1,
  totalBytes: 1,
  unscannedCount: 0,
  sentAt: deadline,
  openedAt: deadline,
  completedAt: deadline,
  shownTo: [],
};
const drop = {
  to,
  reference: 'WB-7F3K-29QD',
  sender: 'kim@example.com',
  senderName: 'kim@example.com',
  message: 'First line\nsecond line',
  files: [{ name: 'plan.pdf', path: 'plan.pdf', sizeBytes: 1_400_000, ...clean }],
  fileCount: 3,
  totalBytes: 4_200_000,
  unscannedCount: 0,
  deadline,
  link,
  stopLink,
};

function plain(text: string): string {
  return text.replace(/[\u00a0\u202f]/g, ' ');
}

describe('a drop’s mail', () => {
  const mail = mailTemplates.drop('en', drop);

  test('has the sender, the files, the link and the expiry in both parts', () => {
    expect(mail.subject).toBe('kim@example.com has sent you 3 files');
    for (const part of [plain(mail.text), plain(mail.html)]) {
      for (const said of [
        'plan.pdf',
        '1.4 MB',
        'and 2 more files',
        'Saturday, 21 November 2026 at 14:30 UTC',
        link,
        stopLink,
        'second line',
        to,
      ]) {
        expect(part).toContain(said);
      }
    }
  });

  test.each([
    [0, /film\.mov[^]*plan\.pdf[^]*All files were scanned for viruses: nothing found\./],
    [1, /film\.mov[^]*Not scanned for viruses: too large[^]*plan\.pdf[^]*1 of 3 files was not scanned for viruses\./],
    [2, /film\.mov[^]*Not scanned for viruses: too large[^]*plan\.pdf[^]*2 of 3 files were not scanned for viruses\./],
    [3, /film\.mov[^]*plan\.pdf[^]*The files were not scanned for viruses\./],
  ])(
    'says once how the scan ended, also for files that it does not list, as its receipt does (%d)',
    (unscannedCount, text) => {
      const files = [
        { name: 'plan.pdf', path: 'plan.pdf', sizeBytes: 1, ...clean },
        {
          name: 'film.mov',
          path: 'film.mov',
          sizeBytes: 1,
          scan: unscannedCount === 0 ? ('clean' as const) : ('unscanned' as const),
          unscannedReason: 'too_large' as const,
        },
      ];
      const scanned = { files, fileCount: 3, unscannedCount };
      for (const { text: plainPart, html } of [
        mailTemplates.drop('en', { ...drop, ...scanned }),
        mailTemplates.receipt('en', { ...receipt, ...scanned }),
      ]) {
        for (const part of [plainPart, html]) {
          expect(part).toMatch(text);
          expect(part.match(/scanned for viruses/gi)).toHaveLength(
            unscannedCount === 1 || unscannedCount === 2 ? 2 : 1,
          );
        }
      }
    },
  );

  test('has the link as a button and as an address to copy', () => {
    expect(mail.html.split(`href="${link}"`)).toHaveLength(3);
    expect(mail.html).toContain(`>${link}</a>`);
    expect(mail.text).toContain(`\n${link}\n`);
  });

  test('loads nothing from the network', () => {
    expect(mail.html).not.toMatch(/<(?:img|link|script|iframe)|url\(|@import/i);
  });

  test('names its language and direction', () => {
    expect(mailTemplates.drop('fr', drop).html).toContain('<html lang="fr" dir="ltr">');
  });

  test('quotes the sender’s words', () => {
    expect(mail.text).toContain('> First line\n> second line\n');
  });
});

test('a mail about many files lists the first five of them', () => {
  const files = Array.from({ length: 60 }, (_, index) => {
    const name = `scan-${index}.tiff`;
    return { name, path: name, sizeBytes: 1, ...clean };
  });
  const mail = mailTemplates.drop('en', { ...drop, files, fileCount: 60 });
  for (const part of [mail.text, mail.html]) {
    expect(part).toContain('and 55 more files');
    expect(part.match(/scan-\d+\.tiff/g)).toHaveLength(5);
  }
});

describe('a long message', () => {
  const message = `${'Words of the sender that go on and on. '.repeat(20)}The end.`;

  test('is shortened if a page shows all of it', () => {
    const { text, html } = mailTemplates.drop('en', { ...drop, message });
    for (const part of [text, html]) {
      expect(part).not.toContain('The end.');
      expect(part).toContain('The rest of the message is on the page.');
    }
    expect(quoted(text)).toBe(message.slice(0, 584).trim());
    expect(quoted(mailTemplates.drop('en', { ...drop, message: 'x'.repeat(600) }).text)).toHaveLength(600);
  });

  test('is complete if there is no page', () => {
    const mail = mailTemplates.received('en', {
      ...drop,
      ...forAccount,
      contact: 'a@b.example',
      message,
      isUnsolicited: false,
    });
    expect(quoted(mail.text)).toBe(message);
    expect(mail.html).toContain('The end.');
  });
});

function quoted(text: string): string {
  return [...text.matchAll(/^> (.*)$/gm)].map((line) => line[1]).join(' ');
}

describe.each(languages)('in %s', (language) => {
  const translator = all.for(language);

  test('a mail that its reader did not ask for can be stopped, and its sender reported if the operator takes reports', () => {
    const stoppable = new Set([
      'drop',
      'public-link',
      'drop-one',
      'drop-many',
      'drop-mixed',
      'drop-unscanned',
      'request',
      'request-once',
      'request-reminder',
      'reminder',
      'confirmation',
    ]);
    for (const supportAddress of [undefined, 'help@acme.example']) {
      const mails = Object.entries(mailStates(translator, undefined, { name: 'Acme Files', supportAddress }));
      const offered = translator.t(supportAddress === undefined ? 'mail.stop.link' : 'mail.stop.reportLink');
      for (const [name, { text, html }] of mails) {
        for (const part of [text, html]) expect([name, part.includes('/m/')]).toEqual([name, stoppable.has(name)]);
        if (stoppable.has(name)) expect(html).toContain(`>${offered}</a>`);
      }
    }
  });

  test('the lines of text parts are not too long', () => {
    for (const [name, { text }] of Object.entries(mailStates(translator))) {
      const lines = text.split('\n').filter((line) => !line.startsWith('https://'));
      expect([name, lines.filter((line) => line.length > 78)]).toEqual([name, []]);
    }
  });

  test('the facts about the button come before it, and both before the message of the sender', () => {
    for (const name of ['drop', 'drop-many', 'request', 'request-reminder', 'reminder']) {
      const { text, html } = mailStates(translator)[name] ?? { text: '', html: '' };
      const note = plain(translator.formatDate(deadline));
      for (const part of [plain(text), plain(html).slice(html.indexOf('<h1'))]) {
        const [until, button, message, file] = [note, 'https://', 'Hello,', 'Delivery note'].map((it) =>
          part.indexOf(it),
        );
        const order = [
          until,
          button,
          ...(name === 'reminder' ? [file] : name.startsWith('request') ? [message] : [message, file]),
        ];
        expect([name, order]).toEqual([name, order.toSorted((a, b) => Number(a) - Number(b))]);
        expect(order).not.toContain(-1);
      }
    }
  });

  test('has no hidden text', () => {
    for (const [name, { html }] of Object.entries(mailStates(translator))) {
      const hidden = /<div style="display:none[^>]*>([^<]*)<\/div>/.exec(html)?.[1] ?? '';
      const visible = html.replace(/<div style="display:none.*?<\/div>/, '').replace(/<[^>]+>/g, ' ');
      expect(hidden, name).not.toBe('');
      expect(hidden, name).not.toMatch(/[\u200b-\u200f]|\u00a0\u00a0/);
      for (const sentence of hidden.split(/(?<=[.?]) /))
        expect([name, visible]).toEqual([name, expect.stringContaining(sentence)]);
    }
  });

  test('a code is in the subject, which phones show at once', () => {
    const { code } = mailStates(translator);
    expect(code?.subject).toMatch(/^482913 /);
    expect(code?.text).toContain('\n    482913\n');
  });

  test.each([1, 10, 59])('a code is one text message (%d minutes)', (minutes) => {
    const sms = codeSms(translator, { code: '482913', minutes, host: 'files.subdivision.example.org' });
    expect(sms).toContain('482913');
    expect(sms.split('\n').at(-1)).toBe('@files.subdivision.example.org #482913');
    expect(sms.length).toBeLessThanOrEqual(160);
    // GSM 03.38: any other character would halve the length that fits.
    expect(sms).toMatch(/^[A-Za-z0-9 @£$¥èéùìòÇØøÅåÆæßÉ!"#¤%&'()*+,\-./:;<=>?¡ÄÖÑܧ¿äöñüà\r\n]*$/);
  });
});

describe('text of other people is escaped', () => {
  const mails = mailStates(english, hostile);

  // These mails contain no text of other people.
  const own = new Set(['test', 'recovery', 'sign-in', 'method-added-password', 'person-invitation-operator']);

  test.each(Object.keys(mails).filter((name) => !own.has(name) && !/^(?:webhook|parked)/.test(name)))('%s', (name) => {
    const { subject, text, html } = mails[name] ?? { subject: '', text: '', html: '' };
    expect(subject).not.toMatch(/[\p{Cc}\u2028\u2029\u202A-\u202E]/u);
    // The subject of this mail names the operator, and its body the person.
    const naming = ['person-invitation', 'method-added'].includes(name) ? text.replaceAll(/\s+/g, ' ') : subject;
    expect(naming).toContain('"><script>alert(1)</script>');
    expect(naming).toContain('{{7*7}} ${7*7} $t(common.from) Bcc: a@evil.example');
    expect(html).toContain('&lt;script>alert(1)&lt;/script>');
    expect(html).not.toMatch(/<(?:script|svg|img|iframe)/i);
    expect(html.match(/<style>/g)).toHaveLength(1);
    expect(text).not.toMatch(/[^\P{Cc}\n]/u);
    expect(text).not.toMatch(/^(?:Bcc:|\.$)/m);
  });

  test('a name written from right to left does not turn the sentence around it', () => {
    expect(mailTemplates.drop('en', { ...drop, title: 'The plans', senderName: 'Kim' }).subject).toBe('Kim: The plans');
    expect(mailTemplates.drop('en', { ...drop, senderName: 'مها' }).subject).toBe(
      '\u2068مها\u2069 has sent you 3 files',
    );
  });
});

test.each(languages)('a receipt in %s claims that the files were sent, not that they arrived', (language) => {
  const mail = mailTemplates.receipt(language, receipt);
  expect(mail.text).toMatch(
    /sent in full|vollständig gesendet|envoyé en entier|enviado completo|skickats i sin helhet/,
  );
  expect(mail.text).not.toMatch(
    /arrived|received|angekommen|erhalten|arrivé|reçu|llegado|recibido|kommit fram|tagit emot/,
  );
});

describe('an operator', () => {
  const operator = { name: 'Acme Files', color: '#ffe000', supportAddress: 'help@acme.example' };
  const mails = Object.entries(mailStates(english, undefined, operator));

  test.each(mails)('is named in %s, with whom to ask', (_name, { text, html }) => {
    for (const part of [text, html]) {
      expect(part).toContain('Acme Files');
      expect(part).toContain('help@acme.example');
      expect(part).not.toContain('Waybill');
    }
  });

  test('has their colour on buttons, in a readable shade', () => {
    const { html } = mails.find(([name]) => name === 'drop')?.[1] ?? { html: '' };
    const [, background = ''] = /class="w-button" bgcolor="(#[\da-f]{6})"/.exec(html) ?? [];
    const [, text = ''] = /class="w-button".*?<a [^>]*?[;"]color:(#[\da-f]{6})/s.exec(html) ?? [];
    expect(background).toBe('#ffe000');
    expect(contrast(background, text)).toBeGreaterThanOrEqual(4.5);
    expect(html).not.toContain('#0b5d63');
  });
});

describe('the operator’s logo', () => {
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452000000c80000003200', 'hex');
  const write = (type: 'svg' | 'png', content = png) =>
    createMailTemplates(all, { ...plainOperator, mailLogo: toMailLogo({ type, content }) }).test('en', { to });

  test('is part of the mail if it is a PNG, in a size that old mail programs understand', () => {
    const { html, logo } = write('png');
    expect(html).toContain('<img src="cid:logo@waybill" alt width="112" height="28"');
    expect(logo).toBe(png);
  });

  test('is at most 160 pixels wide', () => {
    const wide = Buffer.concat([png.subarray(0, 16), Buffer.from('0000064000000064', 'hex')]);
    expect(write('png', wide).html).toContain('width="160" height="10"');
  });

  test('is left out if it is an SVG, which mail programs do not show', () => {
    const { html, logo } = write('svg');
    expect(html).not.toContain('<img');
    expect(logo).toBeUndefined();
  });
});

test('a receipt says when the link was sent and opened, and when everything was sent', () => {
  const times = {
    sentAt: new Date('2026-11-14T08:00:00Z'),
    openedAt: new Date('2026-11-14T09:07:00Z'),
    completedAt: new Date('2026-11-16T09:12:00Z'),
  };
  const { text, html } = mailTemplates.receipt('en', { ...receipt, ...times });
  for (const part of [text, html]) {
    expect(part).toMatch(
      /Link sent[^]*Saturday, 14 November 2026 at 08:00[^]*Opened[^]*at 09:07[^]*Sent in full[^]*Monday, 16 November/,
    );
  }
  expect(mailTemplates.receipt('en', { ...receipt, ...times, openedAt: null }).text).not.toContain('Opened');
});

test('a receipt names the people who saw the link of its receiver', () => {
  const { text, html } = mailTemplates.receipt('en', { ...receipt, shownTo: ['maya@example.org', 'bo@example.org'] });
  for (const part of [text, html]) expect(part).toMatch(/was also shown to .*maya@example\.org.*bo@example\.org/);
  expect(mailTemplates.receipt('en', receipt).text).not.toContain('also shown');
});

test('a mail about a drop has its reference', () => {
  for (const [name, { text, html }] of Object.entries(mailStates(english))) {
    const isOther = ['test', 'code', 'recovery', 'sign-in'].includes(name);
    if (isOther || /^(?:webhook|parked|method-added|person-invitation)/.test(name)) continue;
    for (const part of [text, html]) expect([name, part]).toEqual([name, expect.stringContaining('WB-7F3K-29QD')]);
  }
});

test('a sender with a name is shown with their address', () => {
  const { subject, text } = mailTemplates.drop('en', { ...drop, senderName: 'Kim Berg' });
  expect(subject).toBe('Kim Berg has sent you 3 files');
  expect(text).toContain('From: kim@example.com');
});
