import { fc, test } from '@fast-check/vitest';
import { HistoryEntry, InboxEntry, UploadedFile } from '@waybill/protocol';
import { Check } from 'typebox/value';
import { describe, expect } from 'vitest';
import { historyEntry, humanSize, inboxEntry, toSender, uploadedFile, uploadedFileWithDigest } from './shapes.ts';

describe('a size for people', () => {
  test.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1.0 kB'],
    [1049, '1.0 kB'],
    [1050, '1.1 kB'],
    [999_949, '999.9 kB'],
    [999_950, '1.0 MB'],
    [1_400_000, '1.4 MB'],
    [999_950_000, '1.0 GB'],
    [1e12, '1.0 TB'],
    [9e15, '9.0 PB'],
  ])('%i bytes: %s', (bytes, text) => {
    expect(humanSize(bytes)).toBe(text);
  });

  test.prop([fc.maxSafeNat()])('is at most three digits and right to the one it shows', (bytes) => {
    const [, shown, unit] = /^(\d{1,3}(?:\.\d)?) (B|kB|MB|GB|TB|PB)$/.exec(humanSize(bytes)) ?? [];
    const scale = 1000 ** ['B', 'kB', 'MB', 'GB', 'TB', 'PB'].indexOf(unit as string);
    expect(Math.abs(Number(shown) - bytes / scale)).toBeLessThanOrEqual(0.0501);
  });

  test.prop([fc.maxSafeNat(), fc.maxSafeNat()])('never shows the larger of two as the smaller', (one, other) => {
    const value = (bytes: number) => {
      const [shown, unit] = humanSize(bytes).split(' ') as [string, string];
      return Number(shown) * 1000 ** ['B', 'kB', 'MB', 'GB', 'TB', 'PB'].indexOf(unit);
    };
    expect(value(Math.min(one, other))).toBeLessThanOrEqual(value(Math.max(one, other)));
  });
});

describe('the shapes of the wire', () => {
  const line = {
    id: '0190d5c8-0000-7000-8000-000000000000',
    createdAt: '',
    createdSeconds: 1_700_000_000,
    lifetime: 7,
    fileCount: 2,
  };
  const files = [
    { name: 'a.txt', scan: 'clean' },
    { name: 'b.txt', scan: 'unscanned' },
  ] as const;
  const references = [
    { name: 'a.txt', settings: '[]' },
    { name: 'b.txt', settings: '["unscanned"]' },
  ];

  test('a line of the history', () => {
    const receivers = [
      { email: 'b@example.org', contactName: 'Bo', name: 'Bo B.', phone: '46701', language: 'sv', groups: [] },
    ];
    const sender = toSender({
      id: line.id,
      email: 'a@example.org',
      phone: '46701234567',
      type: 'api',
      language: 'sv',
      displayName: '',
      disabled: false,
      deleting: false,
      createdAt: new Date(0),
      secondFactor: null,
      receipts: true,
      attachReceipts: false,
      reminders: true,
      showLinks: true,
      defaultDays: null,
      testOf: null,
    });
    const drop = {
      ...line,
      type: 'downloadfiles',
      state: 'live',
      expiresAt: new Date(0),
      message: 'hello',
      receiverCount: 1,
      receivers,
      files: [...files],
    } as const;
    const entry = historyEntry({ ...drop, receivers: [...receivers], files: [...files] }, sender);
    expect(Check(HistoryEntry, entry)).toBe(true);
    expect(Object.keys(entry.receivers[0] ?? {})).toEqual(['email', 'number', 'language', 'groups', 'nick', 'name']);
    expect(entry).toEqual({
      drop_type: 'downloadfiles',
      create_time: '1700000000',
      ttl: '7',
      receivers: [{ email: 'b@example.org', number: '46701', language: 'sv', groups: [], nick: 'Bo', name: 'Bo B.' }],
      ddmessage: 'hello',
      sender,
      files: references,
    });
    expect(sender).toMatchObject({ email: 'a@example.org', lang: 'sv', accountType: 'api', first_run: 'false' });
  });

  test('an entry of the inbox', () => {
    const entry = inboxEntry({
      ...line,
      senderAccountId: 's',
      dropId: 'd',
      sender: 'a@example.org',
      files: [...files],
    });
    expect(Check(InboxEntry, entry)).toBe(true);
    expect(entry).toEqual({
      ttl: '7',
      createtime: '1700000000',
      sender: 'a@example.org',
      files: references,
      url: line.id,
    });
  });

  test('a staged file', () => {
    const file = { name: 'a.txt', mediaType: 'text/plain', sizeBytes: 1_400_000, sha256: Buffer.alloc(32, 0xab) };
    const entry = { name: 'a.txt', type: 'text/plain', size: '1.4 MB' };
    expect(uploadedFile(file)).toEqual(entry);
    const withDigest = uploadedFileWithDigest(file);
    expect(withDigest).toEqual({ ...entry, bytes: 1_400_000, sha256: 'ab'.repeat(32) });
    for (const shape of [entry, withDigest]) expect(Check(UploadedFile, shape)).toBe(true);
  });
});
