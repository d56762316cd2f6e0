import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { type Changes, type ShippedProxy, shippedProxy } from '../../../../tools/shared/shipped-proxies.ts';
import { examineBehind, nothingWrong } from '../../../test/examine-behind.ts';
import { expectTrouble } from '../../../test/findings.ts';

test.each<ShippedProxy>(['haproxy.cfg', 'nginx.conf', 'Caddyfile'])('nothing is wrong behind %s', async (name) => {
  const findings = await examineBehind((place) => shippedProxy(name, place));
  expect(findings.map(({ status, check }) => `${status} ${check}`)).toEqual(nothingWrong);
});

const line = (start: string): Changes[number] => [new RegExp(`^ *${start}.*\\n`, 'm'), ''];
const first = (rule: string): Changes[number] => [/option forwardfor\n/, `http-request ${rule}\n`];

test.each<[what: string, name: ShippedProxy, changes: Changes, ...expected: string[]]>([
  [
    'its usual limit, buffering and headers',
    'nginx.conf',
    [
      line('client_max_body_size'),
      line('proxy_request_buffering'),
      line('proxy_buffering'),
      line('proxy_set_header X-Forwarded-For'),
    ],
    'fault proxy.client',
    'fault proxy.uploads',
    'warning proxy.downloads',
    'fault proxy.size',
  ],
  ['a very small limit', 'nginx.conf', [[/client_max_body_size +0/, 'client_max_body_size 1k']], 'fault proxy.size'],
  ['its own Host', 'nginx.conf', [line('proxy_set_header Host')], 'fault proxy.host'],
  ['no backend', 'nginx.conf', [[/server 127\.0\.0\.1:\d+/, 'server 127.0.0.1:9']], 'fault proxy.serve'],
  [
    'a limit, and without addresses',
    'haproxy.cfg',
    [first('deny deny_status 413 if { req.hdr(content-length) -m int gt 1000000 }')],
    'fault proxy.client',
    'fault proxy.size',
  ],
  ['its own Host', 'haproxy.cfg', [first('set-header Host serve1')], 'fault proxy.host'],
  ['no backend', 'haproxy.cfg', [[/server serve1 \S+/, 'server serve1 127.0.0.1:9']], 'fault proxy.serve'],
])('with %s: %s', async (_what, name, changes, ...expected) => {
  const findings = await examineBehind((place) => shippedProxy(name, place, changes));
  await expectTrouble(Readable.from(findings), ...expected);
});
