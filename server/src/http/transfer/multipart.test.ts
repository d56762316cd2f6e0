import { Readable } from 'node:stream';
import { fc, test } from '@fast-check/vitest';
import { describe, expect, vi } from 'vitest';
import { parts } from './multipart.ts';

interface ReadPart {
  name: string;
  fileName: string | undefined;
  mediaType: string;
  content: string;
}

const type = 'multipart/form-data; boundary=limit';

async function read(body: Buffer | readonly Buffer[], contentType = type): Promise<ReadPart[]> {
  const found: ReadPart[] = [];
  const chunks = Buffer.isBuffer(body) ? [body] : body;
  for await (const part of parts(contentType, Readable.from(chunks, { objectMode: false }))) {
    const content: Buffer[] = [];
    for await (const bytes of part.bytes) content.push(bytes);
    const { name, fileName, mediaType } = part;
    found.push({ name, fileName, mediaType, content: Buffer.concat(content).toString('latin1') });
  }
  return found;
}

const field = (headers: string, content: string | Buffer = 'content') =>
  Buffer.concat([Buffer.from(`--limit\r\n${headers}\r\n\r\n`), Buffer.from(content as string), Buffer.from('\r\n')]);
const end = Buffer.from('--limit--\r\n');
const form = (...fields: Buffer[]) => Buffer.concat([...fields, end]);
const named = (parameters: string) => `Content-Disposition: form-data; ${parameters}`;
const file = (content: string | Buffer, name = 'a.bin') =>
  field(`${named(`name="file"; filename="${name}"`)}\r\nContent-Type: text/plain`, content);

const cut = (body: Buffer, at: readonly number[]) => {
  const places = [0, ...at.map((place) => place % body.length).toSorted((a, b) => a - b), body.length];
  return places.slice(1).map((to, index) => body.subarray(places[index], to));
};

describe('a form', () => {
  const body = form(
    field(named('name="do"'), 'upload'),
    file(Buffer.from([0, 255, 13, 10, 45, 45, 13, 10]), 'grüße.bin'),
    file('', 'empty'),
    file('\r\n--limi\r\n--limit\n--\r\n--\r\n-', 'like-a-boundary'),
  );
  const expected: ReadPart[] = [
    { name: 'do', fileName: undefined, mediaType: 'application/octet-stream', content: 'upload' },
    { name: 'file', fileName: 'grüße.bin', mediaType: 'text/plain', content: '\0\xff\r\n--\r\n' },
    { name: 'file', fileName: 'empty', mediaType: 'text/plain', content: '' },
  ];

  test('is read part by part', async () => {
    expect(
      await read(
        form(
          field(named('name="do"'), 'upload'),
          file(Buffer.from([0, 255, 13, 10, 45, 45, 13, 10]), 'grüße.bin'),
          file('', 'empty'),
        ),
      ),
    ).toEqual(expected);
  });

  test.prop([fc.array(fc.nat(), { maxLength: 40 })])('is read the same in pieces of any size', async (at) => {
    const whole = form(
      field(named('name="do"'), 'upload'),
      file('\r\n-\r\n--\r\n--limi\r\n\r\n-limit-', 'x'),
      file('second', 'y'),
    );
    expect(await read(cut(whole, at))).toEqual(await read(whole));
  });

  test('is read the same one byte at a time', async () => {
    const whole = form(field(named('name="do"'), 'upload'), file('\r\n--limi\r\n\r\n--lim', 'x'));
    expect(
      await read(
        cut(
          whole,
          Array.from({ length: whole.length }, (_, at) => at),
        ),
      ),
    ).toEqual(await read(whole));
  });

  test.prop([fc.uint8Array({ maxLength: 3000 }), fc.array(fc.nat(), { maxLength: 10 })])(
    'can contain any bytes',
    async (content, at) => {
      fc.pre(!Buffer.from(content).includes('\r\n--limit'));
      const [part] = await read(cut(form(file(Buffer.from(content))), at));
      expect(part?.content).toBe(Buffer.from(content).toString('latin1'));
    },
  );

  test('may have text before the first and after the last boundary, which is ignored', async () => {
    const whole = Buffer.concat([Buffer.from('preamble\r\n'), form(file('x')), Buffer.from('epilogue'), file('y')]);
    expect((await read(whole)).map((part) => part.content)).toEqual(['x']);
  });

  test('is refused if a file contains the boundary', async () => {
    await expect(read(body)).rejects.toMatchObject({ code: 'malformed_request' });
  });

  test('may have no parts', async () => {
    expect(await read(end)).toEqual([]);
  });
});

describe('the name of a file', () => {
  test.each([
    ['filename="a b.txt"', 'a b.txt'],
    ['filename=plain.txt', 'plain.txt'],
    ['filename=""', ''],
    [String.raw`filename="a \"b\".txt"`, 'a "b".txt'],
    [String.raw`filename="C:\dir\x"`, String.raw`C:\dir\x`],
    [String.raw`filename="a\\b"`, String.raw`a\b`],
    ['filename="a;b=c.txt"', 'a;b=c.txt'],
    ['filename="a%22b"', 'a%22b'],
    ["filename*=UTF-8''gr%C3%BC%C3%9Fe.txt", 'grüße.txt'],
    ["filename*=utf-8'de'a", 'a'],
    [`filename="grüße.txt"; filename*=UTF-8''gr%C3%BC%C3%9Fe.txt`, 'grüße.txt'],
    [`filename="u\u0308"; filename*=UTF-8''%C3%BC`, 'ü'],
    ['FileName="x"', 'x'],
    ['filename="x" ;', 'x'],
  ])('%s', async (parameter, name) => {
    const [part] = await read(form(field(named(`name="file"; ${parameter}`))));
    expect(part?.fileName).toBe(name);
  });

  test.each([
    `filename="a"; filename*=UTF-8''b`,
    `filename="%C3%BC"; filename*=UTF-8''%C3%BC`,
    "filename*=UTF-8''%FF",
    "filename*=UTF-8''%",
    "filename*=ISO-8859-1''%E4",
    'filename*=a',
  ])('is refused if filename and filename* differ: %s', async (parameter) => {
    await expect(read(form(field(named(`name="file"; ${parameter}`))))).rejects.toMatchObject({ code: 'invalid_name' });
  });
});

describe('refuses ambiguous input', () => {
  test.each([
    ['no header', Buffer.from('--limit\r\n\r\ncontent\r\n')],
    ['no disposition', field('Content-Type: text/plain')],
    ['two dispositions', field(`${named('name="file"')}\r\n${named('name="do"')}`)],
    ['a disposition of another kind', field('Content-Disposition: attachment; name="file"')],
    ['no name', field(named('filename="x"'))],
    ['a name twice', field(named('name="file"; name="do"'))],
    ['a file name twice', field(named('name="file"; filename="a"; filename="b"'))],
    ['an open quote', field(named('name="file'))],
    ['text behind a quote', field(named('name="file"x; filename="a"'))],
    ['a bare line feed in a header', field(`${named('name="file"')}\nX: y`)],
    ['a line without a colon', field(`nonsense\r\n${named('name="file"')}`)],
    ['a part that ends with its boundary', Buffer.from('--limit\r\n')],
    ['text behind a boundary', Buffer.concat([file('x'), Buffer.from('--limitless\r\n')])],
    ['more headers than a part can need', field(`${'X: y\r\n'.repeat(25)}${named('name="file"')}`)],
  ])('%s', async (_what, body) => {
    await expect(read(form(body))).rejects.toMatchObject({ code: 'malformed_request' });
  });

  test('a part without a header does not delay the parts after it', async () => {
    const stuck = Buffer.concat([Buffer.from('--limit\r\n'), form(file(Buffer.alloc(1_000_000)))]);
    await expect(read(cut(stuck, [9, 20, 300, 70_000]))).rejects.toMatchObject({ code: 'malformed_request' });
  });
});

describe('a body that is cut off', () => {
  const whole = form(field(named('name="do"'), 'upload'), file('some content of the file'));
  test.prop([fc.integer({ min: 0, max: whole.length - 5 })])('is refused, wherever it was cut', async (at) => {
    await expect(read(whole.subarray(0, at))).rejects.toMatchObject({ code: 'malformed_request' });
  });

  test.prop([fc.integer({ min: 1, max: whole.length - 5 })])('is refused when its connection breaks', async (at) => {
    const broken = Readable.from(
      (function* () {
        yield whole.subarray(0, at);
        throw new Error('ECONNRESET');
      })(),
      { objectMode: false },
    );
    const reading = (async () => {
      for await (const part of parts(type, broken)) for await (const _ of part.bytes);
    })();
    await expect(reading).rejects.toMatchObject({ code: 'malformed_request' });
  });
});

describe('bounds', () => {
  test.each([9_000, 100_000, 1_200_000])('a header of %i bytes is too large', async (length) => {
    const body = form(field(named(`name="file"; filename="${'a'.repeat(length)}"`)));
    const arrivals = Array.from({ length: Math.ceil(body.length / 65_536) }, (_, index) => index * 65_536);
    await expect(read(cut(body, arrivals))).rejects.toMatchObject({ code: 'too_large' });
  });

  test('a header without an end is refused long before the end of the body', async () => {
    let sent = 0;
    const endless = Readable.from(
      (function* () {
        yield Buffer.from('--limit\r\nX: ');
        for (; sent < 1000; sent += 1) yield Buffer.alloc(16_384, 'a');
      })(),
      { objectMode: false },
    );
    const reading = (async () => {
      for await (const _ of parts(type, endless));
    })();
    await expect(reading).rejects.toMatchObject({ code: 'too_large' });
    expect(sent).toBeLessThan(20);
  });

  test('a header with a long run of spaces takes time that grows with its length alone', async () => {
    const startedAt = process.threadCpuUsage();
    const spaces = ' '.repeat(4_000);
    await expect(read(form(...Array(150).fill(field(named(`name="a"${spaces}!`)))))).rejects.toMatchObject({
      code: 'malformed_request',
    });
    expect(process.threadCpuUsage(startedAt).user).toBeLessThan(500_000);
  });

  test('reads two hundred parts, and refuses one more', async () => {
    const many = (count: number) => form(...Array.from({ length: count }, () => field(named('name="x"'), 'y')));
    expect(await read(many(200))).toHaveLength(200);
    await expect(read(many(201))).rejects.toMatchObject({ code: 'too_large' });
  });

  test('spends nothing on the parts behind the one that is refused', async () => {
    const destroy = vi.spyOn(Readable.prototype, 'destroy');
    const many = form(...Array.from({ length: 10_000 }, () => field(named('name="x"'), 'y')));
    await expect(read(many)).rejects.toMatchObject({ code: 'too_large' });
    expect(destroy.mock.calls.length).toBeLessThan(1_000);
    destroy.mockRestore();
  });

  test.each([
    'multipart/form-data',
    'multipart/form-data; boundary=',
    'multipart/form-data; boundary=""',
    `multipart/form-data; boundary=${'a'.repeat(71)}`,
    'multipart/form-data; boundary="a "',
    'multipart/form-data; boundary="ä"',
    'multipart/form-data; boundary="a@b"',
  ])('a boundary outside RFC 2046 is refused: %s', async (contentType) => {
    await expect(read(end, contentType)).rejects.toMatchObject({ code: 'malformed_request' });
  });

  test.each(['a', 'a'.repeat(70), "0'()+_,-./:=?9", 'inner space'])(
    'a boundary within RFC 2046 is accepted: %s',
    async (boundary) => {
      const body = Buffer.from(`--${boundary}\r\n${named('name="x"')}\r\n\r\ny\r\n--${boundary}--\r\n`);
      const [part] = await read(body, `multipart/form-data; charset=utf-8; Boundary="${boundary}"`);
      expect(part?.content).toBe('y');
    },
  );
});

test('keeps a valid media type', async () => {
  const typed = async (header: string) => {
    const [part] = await read(form(field(`${named('name="file"')}\r\nContent-Type: ${header}`)));
    return part?.mediaType;
  };
  expect(await typed('Image/PNG; charset=x')).toBe('image/png');
  expect(await typed('<script>')).toBe('application/octet-stream');
  expect(await typed(`text/${'a'.repeat(200)}`)).toBe(`text/${'a'.repeat(100)}`);
});

test('stops reading from the sender while a part is not read', async () => {
  let sent = 0;
  const source = Readable.from(
    (function* () {
      yield Buffer.from(`--limit\r\n${named('name="file"; filename="a"')}\r\n\r\n`);
      for (; sent < 1000; sent += 1) yield Buffer.alloc(65_536);
    })(),
    { objectMode: false },
  );
  for await (const part of parts(type, source)) {
    expect(part.fileName).toBe('a');
    break;
  }
  expect(sent).toBeLessThan(10);
});

describe('the path of a file in a folder', () => {
  const pathsIn = async (headers: string) => {
    const found: (string | undefined)[] = [];
    const body = form(field(`${named('name="file"; filename="x"')}${headers}`));
    for await (const part of parts(type, Readable.from([body], { objectMode: false }))) {
      found.push(part.path);
      for await (const _ of part.bytes);
    }
    return found;
  };

  test('is percent-encoded', async () => {
    expect(await pathsIn('')).toEqual([undefined]);
    expect(await pathsIn('\r\nWaybill-Path: a b/x')).toEqual(['a b/x']);
    expect(await pathsIn('\r\nWaybill-Path: gr%C3%BC%C3%9Fe/50%25/x')).toEqual(['grüße/50%/x']);
  });

  test.each(['%', '%FF', 'a/x\r\nWaybill-Path: b/x'])('is not %j', async (path) => {
    await expect(pathsIn(`\r\nWaybill-Path: ${path}`)).rejects.toMatchObject({ code: 'invalid_name' });
  });
});
