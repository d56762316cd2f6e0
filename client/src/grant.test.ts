import { expect, test } from 'vitest';
import { fail, succeed, WireServer } from './testing/wire-server.ts';

test('a request gives access to the receivers, whom it adds to the contacts, once for a key', async () => {
  let contacts: string[] = [];
  const used = new Map<string, string>();
  const granted: string[][] = [];
  const receivers = new Map<string, string[]>();
  await using server = await WireServer.start(({ path, headers, body }, response) => {
    const addresses = () => (JSON.parse(body.toString()) as { email: string }[]).map(({ email }) => email);
    const draft = String(headers['waybill-draft']);
    if (path === 'cgi/contacts_read.cgi') return succeed(response, { local: [], global: [] }, { ETag: '"1"' });
    if (path === 'cgi/contacts_add.cgi') contacts = addresses();
    else if (path === 'cgi/receivers_set.cgi') {
      if (!addresses().every((email) => contacts.includes(email))) return fail(response, 409, 'unknown_contact');
      receivers.set(draft, addresses());
    } else {
      const key = String(headers['idempotency-key']);
      if (used.has(key) && used.get(key) !== draft) return fail(response, 409, 'idempotency_key_reused');
      const asked = receivers.get(draft);
      if (!used.has(key) && asked === undefined) return fail(response, 409, 'no_receivers');
      if (!used.has(key)) granted.push(asked ?? []);
      used.set(key, draft);
    }
    succeed(response, { status: 'ok' });
  });
  const request = { to: ['a@example.org'], message: 'Please', days: 1, idempotencyKey: 'key' };
  expect(await server.client().request(request)).toMatchObject({ repeated: false });
  expect(await server.client().request(request)).toMatchObject({ repeated: true });
  expect(granted).toEqual([['a@example.org']]);
  await expect(server.client().request({ to: [] })).rejects.toMatchObject({ code: 'no_receivers' });
});
