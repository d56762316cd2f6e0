import type { IncomingMessage } from 'node:http';
import type { ErrorCode } from '@waybill/protocol';
import { describe, expect, test } from 'vitest';
import { findRefusal } from './guard.ts';

/** Imitates Node's parser, which returns the first of two headers, or a list of both. */
function request(options: { method?: string; url?: string | undefined; headers?: readonly [string, string][] }) {
  const headers = options.headers ?? [['Host', 'files.example.org']];
  const parsed: Record<string, string> = {};
  for (const [name, value] of headers) parsed[name.toLowerCase()] ??= value;
  const { method = 'GET', url = '/' } = options;
  return { method, url, rawHeaders: headers.flat(), headers: parsed } as unknown as IncomingMessage;
}

const host: [string, string] = ['Host', 'files.example.org'];
const refusal = (options: Parameters<typeof request>[0]) =>
  findRefusal(request(options), (name) => name === 'files.example.org')?.code;

describe('passes', () => {
  test.each<[string, Parameters<typeof request>[0]]>([
    ['a plain request', {}],
    ['a host in capitals', { headers: [['Host', 'FILES.example.ORG']] }],
    ['a body on POST', { method: 'POST', headers: [host, ['Content-Length', '5']] }],
    ['a chunked body on POST', { method: 'POST', headers: [host, ['Transfer-Encoding', 'chunked']] }],
    ['an announced empty body on GET', { headers: [host, ['Content-Length', '0']] }],
    ['a header twice that decides nothing', { headers: [host, ['Accept', 'a'], ['Accept', 'b']] }],
    ['a request of the same site', { headers: [host, ['Sec-Fetch-Site', 'same-origin']] }],
    ['a link that was followed from another site', { headers: [host, ['Sec-Fetch-Site', 'cross-site']] }],
    [
      'a hundred headers',
      { headers: [host, ...Array.from({ length: 99 }, (_, i): [string, string] => [`X-${i}`, ''])] },
    ],
  ])('%s', (_what, options) => {
    expect(refusal(options)).toBeUndefined();
  });
});

describe('refuses', () => {
  const twice = [
    'Host',
    'Authorization',
    'CSRF-Token',
    'Content-Type',
    'Content-Length',
    'Transfer-Encoding',
    'Waybill-Draft',
    'Idempotency-Key',
    'Range',
    'If-Range',
  ];
  test.each(twice)('%s twice, also spelt differently', (name) => {
    const headers: [string, string][] = [
      ...(name === 'Host' ? [] : [host]),
      [name, 'files.example.org'],
      [name.toUpperCase(), 'x'],
    ];
    expect(refusal({ method: 'POST', headers })).toBe('malformed_request');
  });

  test.each<[string, ErrorCode, Parameters<typeof request>[0]]>([
    ['no host', 'malformed_request', { headers: [] }],
    ['another host', 'wrong_host', { headers: [['Host', 'evil.example.org']] }],
    ['another port', 'wrong_host', { headers: [['Host', 'files.example.org:81']] }],
    ['an empty host', 'wrong_host', { headers: [['Host', '']] }],
    ['an absolute target', 'malformed_request', { url: 'http://files.example.org/' }],
    ['an asterisk', 'malformed_request', { method: 'OPTIONS', url: '*' }],
    ['a target that is only a host', 'malformed_request', { method: 'CONNECT', url: 'files.example.org:80' }],
    ['a body on GET', 'malformed_request', { headers: [host, ['Content-Length', '1']] }],
    ['a chunked body on GET', 'malformed_request', { headers: [host, ['Transfer-Encoding', 'chunked']] }],
    ['a body on HEAD', 'malformed_request', { method: 'HEAD', headers: [host, ['Content-Length', '1']] }],
    ['a length that is none on GET', 'malformed_request', { headers: [host, ['Content-Length', 'x']] }],
    [
      'two ways of framing a body',
      'malformed_request',
      { method: 'POST', headers: [host, ['Content-Length', '5'], ['Transfer-Encoding', 'chunked']] },
    ],
    ['a compressed body', 'unsupported_media_type', { method: 'POST', headers: [host, ['Content-Encoding', 'gzip']] }],
    [
      'identity as an encoding',
      'unsupported_media_type',
      { method: 'POST', headers: [host, ['Content-Encoding', 'identity']] },
    ],
    [
      'more headers than a hundred',
      'headers_too_large',
      { headers: [host, ...Array.from({ length: 100 }, (_, i): [string, string] => [`X-${i}`, ''])] },
    ],
  ])('%s: %s', (_what, code, options) => {
    expect(refusal(options)).toBe(code);
  });
});
