// The code of "Verify a webhook" in docs/guides.md and docs/python.md, for which Python is needed.
import { test } from 'vitest';
import { python, pythonEnvironment } from '../shared/python.ts';
import { expectWebhookVerifier } from '../shared/webhook-guide.ts';
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
