import { expect, test } from 'vitest';
import { describeBrowser } from './user-agent.ts';

const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit';
const android = 'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit';
const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64';

test.each([
  [`${mac}/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36`, 'Chrome', 'macOS', false],
  [`${mac}/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15`, 'Safari', 'macOS', false],
  [`${android}/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Mobile Safari/537.36`, 'Chrome', 'Android', true],
  [
    `${windows}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36 Edg/156.0`,
    'Edge',
    'Windows',
    false,
  ],
  [`${windows}; rv:150.0) Gecko/20100101 Firefox/150.0`, 'Firefox', 'Windows', false],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 26_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Mobile/15E148 Safari/604.1',
    'Safari',
    'iPhone',
    true,
  ],
  ['curl/8.19.0', '', '', false],
  ['', '', '', false],
])('%s is %s on %s', (userAgent, browser, system, isPhone) => {
  expect(describeBrowser(userAgent)).toEqual({ browser, system, isPhone });
});
