// A file that a virus scanner cannot look into, where a scan is required: WAYBILL_SCAN_ENCRYPTED decides alike about
// what arrives and about what is downloaded.
import { readFileSync } from 'node:fs';
import { errors } from '@waybill/protocol';
import type { FastifyInstance } from 'fastify';
import { afterAll, expect, test } from 'vitest';
import { testPolicy, useTestExchange } from '../../../test/exchange.ts';
import { deriveToken } from '../../../test/links.ts';
import { requestV1 } from '../../../test/request-v1.ts';
import { buildTestServer, postForm, testHost } from '../../../test/server.ts';
import { setReceivers } from '../../domain/drafts/change-draft.ts';
import { dispatchDraft } from '../../domain/drops/dispatch-draft.ts';
import { checkUpload } from '../../domain/uploads/check-upload.ts';

const exchange = await useTestExchange();
const build = (acceptsEncrypted: boolean) =>
  buildTestServer(exchange, {
    policy: { ...testPolicy, scan: 'required', acceptsEncrypted },
    csrfTokens: { mint: async () => '', accept: async () => true },
  });
const [refusing, accepting] = [build(false), build(true)];
afterAll(() => Promise.all([refusing.close(), accepting.close()]));

type Account = Awaited<ReturnType<typeof exchange.account>>;
const note = readFileSync(new URL('../../../test/encrypted/armored.age', import.meta.url));

const sendV1 = (server: FastifyInstance, { apiKey }: Account) =>
  requestV1(server, 'POST', '/uploads', {
    key: apiKey,
    body: note,
    headers: { 'content-type': 'text/plain', 'content-disposition': 'attachment; filename="v1.age"' },
  });

const askMachineApi = (
  server: FastifyInstance,
  { email, apiKey }: Account,
  method: 'GET' | 'POST',
  path: string,
  payload?: string,
) =>
  server.inject({
    method,
    url: `/${email}/cgi/${path}`,
    headers: {
      host: testHost,
      authorization: `Basic ${Buffer.from(`${email}:${apiKey}`).toString('base64')}`,
      'csrf-token': 'x'.repeat(43),
      ...(payload === undefined ? {} : { 'content-type': 'multipart/form-data; boundary=x' }),
    },
    ...(payload === undefined ? {} : { payload }),
  });
const sendForm = (server: FastifyInstance, account: Account) =>
  askMachineApi(
    server,
    account,
    'POST',
    'upload.cgi',
    `--x\r\nContent-Disposition: form-data; name="do"\r\n\r\nupload\r\n--x\r\nContent-Disposition: form-data; name="file"; filename="form.age"\r\n\r\n${note.toString()}\r\n--x--\r\n`,
  );

test('it is refused by default, and nothing of it is kept', async () => {
  const owner = await exchange.account();
  const { message } = errors.encrypted;
  const refused = await sendV1(refusing, owner);
  expect(refused.json()).toMatchObject({ status: 422, code: 'encrypted', detail: `"v1.age": ${message}` });
  const form = await sendForm(refusing, owner);
  expect([form.statusCode, form.json()]).toEqual([
    422,
    { status: 'error', code: 'encrypted', message: `"form.age": ${message}` },
  ]);
  const kept = await exchange.database.query('select from files where account_id = $1', [owner.accountId]);
  expect(kept).toEqual([]);
});

test('it is accepted from the accounts of a group that may send such files, however they come, and from no others', async () => {
  const receiver = await exchange.account();
  const sender = await exchange.account(receiver.email);
  const group = exchange.engines.random.uuid();
  const { quotas } = exchange.engines.store;
  await quotas.createGroup(group, 'lawyers');
  await quotas.setForGroup(group, { acceptsEncrypted: true });
  await quotas.join(sender.accountId, group);
  const { id, ...uploaded } = (await sendV1(refusing, sender)).json();
  expect(uploaded).toMatchObject({ scan: 'unscanned', unscanned_reason: 'encrypted' });
  expect((await sendV1(refusing, receiver)).json()).toMatchObject({ code: 'encrypted' });

  const tus = { 'tus-resumable': '1.0.0', 'upload-length': `${note.length}`, 'upload-metadata': 'filename YS5hZ2U=' };
  const begun = await requestV1(refusing, 'POST', '/uploads', { key: sender.apiKey, headers: tus });
  const inParts = String(begun.headers.location).split('/').at(-1) as string;
  const bytes = { ...tus, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' };
  await requestV1(refusing, 'PATCH', `/uploads/${inParts}`, { key: sender.apiKey, headers: bytes, body: note });
  const checking = { ...exchange.engines, policy: { ...testPolicy, scan: 'required' } as const };
  await checkUpload(checking, sender.accountId, inParts, new AbortController().signal);

  const to = { receivers: [{ email: receiver.email }], message: 'encrypted' };
  await requestV1(refusing, 'POST', '/drops', { key: sender.apiKey, body: { ...to, uploads: [id, inParts] } });
  const [entry] = (await requestV1(refusing, 'GET', '/inbox', { key: receiver.apiKey })).json().data;
  const { files } = (await requestV1(refusing, 'GET', `/inbox/${entry.id}`, { key: receiver.apiKey })).json();
  expect(files).toHaveLength(2);
  for (const file of files) {
    const path = `/inbox/${entry.id}/files/${file.id}`;
    expect((await requestV1(refusing, 'GET', path, { key: receiver.apiKey })).bytes).toEqual(note);
  }
});

test('it is accepted on request, shown as not scanned, and downloaded while it still would be accepted', async () => {
  const receiver = await exchange.account();
  const sender = await exchange.account(receiver.email);
  const expected = { scan: 'unscanned', unscanned_reason: 'encrypted' };
  const uploaded = (await sendV1(accepting, sender)).json();
  expect(uploaded).toMatchObject(expected);
  await setReceivers(exchange.engines, sender, '', [{ email: receiver.email }]);
  expect((await sendForm(accepting, sender)).statusCode).toBe(200);
  const listed = (await askMachineApi(accepting, sender, 'GET', 'get_files.cgi')).json();
  expect(listed).toMatchObject([{ name: 'form.age' }]);

  await dispatchDraft(exchange.engines, sender, { draft: '', parameters: { ddmessage: 'encrypted' } }, 'downloadfiles');
  const [entry] = (await requestV1(accepting, 'GET', '/inbox', { key: receiver.apiKey })).json().data;
  const { files } = (await requestV1(accepting, 'GET', `/inbox/${entry.id}`, { key: receiver.apiKey })).json();
  expect(files).toMatchObject([expected]);
  const [drop] = await exchange.database.query<{ id: string }>('select id from drops where account_id = $1', [
    sender.accountId,
  ]);
  const token = await deriveToken(exchange, sender, drop?.id as string, 0);
  const opened = await postForm(accepting, `/d/${token}`, 'gesture=pressed');
  const cookie = String(opened.headers['set-cookie']).split(';', 1)[0];
  const url = String(opened.headers.location);
  const page = await accepting.inject({ url, headers: { host: testHost, cookie } });
  expect(page.body).toContain('Not scanned for viruses: encrypted');

  const download = async (server: FastifyInstance) => {
    const path = `/inbox/${entry.id}/files/${files[0].id}`;
    const { status, bytes } = await requestV1(server, 'GET', path, { key: receiver.apiKey });
    return [status, status === 200 ? bytes : 'nothing'];
  };
  expect(await download(accepting)).toEqual([200, note]);
  expect(await download(refusing)).toEqual([404, 'nothing']);
});
