// The code of "Verify a webhook" in docs/guides.md and docs/python.md, for which Python is needed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { python, pythonEnvironment } from '../shared/python.ts';
import { readPythonExamples } from '../shared/python-examples.ts';
import { closedPort } from '../shared/tcp.ts';
import { expectWebhookVerifier, signRequest } from '../shared/webhook-guide.ts';
import { requireKind } from '../test/require-kind.ts';

requireKind('engines');

test('the code for Python accepts what the server signs, and nothing else', () => {
  expectWebhookVerifier({
    language: 'python',
    file: 'verify.py',
    command: python,
    env: pythonEnvironment,
    call: `import json, sys
request = json.loads(sys.argv[1])
print(str(is_genuine(request["headers"], request["body"].encode(), request["secret"])).lower())`,
  });
});

test.each(['secret', 'publicKey'] as const)(
  'the receiver in docs/python.md accepts what the server signs, by its %s',
  async (kind) => {
    const { code = '' } = readPythonExamples().find(({ title }) => title === 'Verify a webhook') ?? {};
    const body = '{"type":"drop.completed","data":{"name":"Grüße"}}';
    const { headers, [kind]: key } = signRequest(body);
    const port = await closedPort();
    const env = { ...pythonEnvironment, WAYBILL_WEBHOOK_SECRET: key, PORT: String(port) };
    const receiver = spawn(python, ['-c', code], { env, stdio: ['ignore', 'pipe', 'ignore'] });
    const ended = once(receiver, 'close');
    try {
      let printed = '';
      receiver.stdout.setEncoding('utf8').on('data', (text: string) => {
        printed += text;
      });
      const post = async (text: string): Promise<number> =>
        (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body: text })).status;
      // It takes a moment until the program listens.
      while (receiver.exitCode === null) {
        if (
          await post('{}').then(
            () => true,
            () => false,
          )
        )
          break;
        await pause(20);
      }
      expect(await post(`${body} `)).toBe(400);
      expect(await post(body)).toBe(204);
      receiver.kill();
      await ended;
      expect(printed).toBe(`${headers['webhook-id']} drop.completed {'name': 'Grüße'}\n`);
    } finally {
      receiver.kill('SIGKILL');
    }
  },
);
