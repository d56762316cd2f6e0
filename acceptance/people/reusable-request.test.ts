// A request for files on /api/v1 that may be used again: each sending is an entry in the inbox, which is a queue.
import { expect, test } from 'vitest';
import { createAccount, uniqueAddress } from '../lib/accounts.ts';
import { ContactUploader } from '../lib/people/contact-uploader.ts';
import { linkTokens, waitForMail } from '../lib/people/mailbox.ts';
import { demo } from '../lib/servers/running-demo.ts';
import { eventually } from '../lib/wait.ts';

test('a contact sends twice through a reusable request, and the account claims both', async () => {
  const { base_url: base } = demo();
  const { apiKey } = await createAccount('asking');
  const contact = uniqueAddress('contact');
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${base}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    expect(response.ok, `${method} ${path}: ${response.status}`).toBe(true);
    return response;
  };
  const input = { receivers: [{ email: contact }], message: 'The invoices, please.', reusable: true };
  const { id } = (await (await call('POST', '/requests', input)).json()) as { id: string };
  const [token = ''] = linkTokens(await waitForMail(contact), 'u');
  const uploader = await ContactUploader.open(base, token);

  for (const content of ['first', 'second']) {
    const bytes = Buffer.from(content);
    const upload = await uploader.announce(base, `${content}.txt`, bytes.length);
    expect((await uploader.continue(base, upload, bytes)).status).toBe(204);
    await eventually('the file to be checked and sent', async () =>
      (await uploader.send(base)).ok ? true : undefined,
    );
    const claimed = await call('POST', '/inbox/claim', { max: 10, lease_seconds: 60 });
    const { data } = (await claimed.json()) as { data: { id: string; lease: string; sender: string }[] };
    expect(data).toMatchObject([{ sender: contact }]);
    const [entry] = data as [(typeof data)[0]];
    const { files } = (await (await call('GET', `/inbox/${entry.id}`)).json()) as { files: { id: string }[] };
    expect(await (await call('GET', `/inbox/${entry.id}/files/${files[0]?.id}`)).text()).toBe(content);
    await call('POST', `/inbox/${entry.id}/ack`, { lease: entry.lease });
  }

  expect(await (await call('GET', `/requests/${id}`)).json()).toMatchObject({
    state: 'live',
    receivers: [{ email: contact, state: 'fulfilled', sendings: 2, files_received: 2 }],
  });
});
