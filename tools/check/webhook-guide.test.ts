// The code of "Verify a webhook" in docs/guides.md.
import { test } from 'vitest';
import { expectWebhookVerifier } from '../shared/webhook-guide.ts';

test('the code for Node accepts what the server signs, and nothing else', () => {
  expectWebhookVerifier({
    language: 'js',
    file: 'verify.mjs',
    command: process.execPath,
    call: `const { headers, body, secret } = JSON.parse(process.argv[2]);
console.log(isGenuine(headers, Buffer.from(body), secret));`,
  });
});
