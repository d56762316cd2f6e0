import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { projectDir } from '../../tools/demo/environment.ts';
import { demo } from '../lib/servers/running-demo.ts';

test('a demo does not start beside another, whose data it would delete', async () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [`${projectDir}/tools/demo/demo.ts`], {
    encoding: 'utf8',
  });
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(
    /^demo: Another demo is running on these engines: .* Stop it first, with Ctrl-C in its terminal\.\n$/,
  );
  const { base_url: baseUrl, accounts } = demo();
  const { status: code } = await fetch(`${baseUrl}/api/v1/account`, {
    headers: { authorization: `Bearer ${accounts[0]?.api_key}` },
  });
  expect(code).toBe(200);
});
