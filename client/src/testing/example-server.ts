import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type ReceivedRequest, refuse, succeed, WireServer } from './wire-server.ts';

const time = '2030-01-31T12:00:00.000Z';
export const ids = {
  drop: '0190b2c8-1f7a-7c3e-9d61-5a1b2c3d4e5f',
  key: '0190b2c8-1f7a-7c3e-9d61-5a1b2c3d4e60',
  webhook: '0190b2c8-1f7a-7c3e-9d61-5a1b2c3d4e61',
  event: '6a0c5f4e-93b5-4c0b-8a37-2f5d1f0d3c11',
  upload: '0190b2c8-1f7a-7c3e-9d61-5a1b2c3d4e62',
  request: '0190b2c8-1f7a-7c3e-9d61-5a1b2c3d4e63',
};

export const drop = {
  id: ids.drop,
  reference: 'WB-7F3K-29QD',
  state: 'live',
  message: 'The drawings.\nOf May.',
  external_id: 'order-4711',
  metadata: { project: 'bridge' },
  second_factor: 'sms',
  notify: true,
  created_at: time,
  expires_at: '2030-02-07T12:00:00.000Z',
  revoked_at: null,
  receiver_count: 2,
  file_count: 1,
};
const untouched = { undeliverable_at: null, undeliverable_reason: null, opened_at: null, completed_at: null };
const person = { name: null, phone: '', language: 'en', ...untouched, revoked_at: null };
const { completed_at: _completed, ...asked } = { ...person, notified_at: '2030-01-31T12:00:05.000Z' };
export const dropDetails = {
  ...drop,
  activity_purged: false,
  receivers: [
    {
      ...person,
      id: 0,
      email: 'anna@example.com',
      state: 'completed',
      notified_at: '2030-01-31T12:00:05.000Z',
      opened_at: '2030-01-31T13:00:00.000Z',
      completed_at: '2030-01-31T13:05:00.000Z',
      files_delivered: 1,
    },
    {
      ...person,
      id: 1,
      email: 'bo@example.com',
      state: 'undeliverable',
      notified_at: '2030-01-31T12:00:06.000Z',
      undeliverable_at: '2030-01-31T12:01:00.000Z',
      undeliverable_reason: '550 no such \u001b[31muser',
      files_delivered: 0,
    },
  ],
  files: [
    {
      id: ids.upload,
      name: 'plan.pdf',
      path: 'drawings/plan.pdf',
      media_type: 'application/pdf',
      size: 1_200_000,
      sha256: 'ab'.repeat(32),
      scan: 'clean',
      unscanned_reason: null,
      state: 'available',
      receivers_delivered: 1,
    },
  ],
};
const { file_count: _files, ...sent } = drop;
export const fileRequest = { ...sent, id: ids.request, reference: 'WB-8G4M-3ARE', external_id: null, reusable: true };
export const fileRequestDetails = {
  ...fileRequest,
  activity_purged: false,
  receivers: [
    {
      ...asked,
      id: 0,
      email: 'anna@example.com',
      state: 'fulfilled',
      fulfilled_at: '2030-01-31T14:00:00.000Z',
      last_received_at: '2030-02-01T14:00:00.000Z',
      sendings: 2,
      files_received: 3,
    },
    {
      ...asked,
      id: 1,
      email: 'bo@example.com',
      state: 'notified',
      fulfilled_at: null,
      last_received_at: null,
      sendings: 0,
      files_received: 0,
    },
  ],
};
export const key = {
  id: ids.key,
  name: 'nightly',
  mode: 'live',
  hint: 'wb_Zx81…',
  scopes: ['send'],
  networks: ['192.0.2.0/24'],
  created_at: time,
  created_by: null,
  expires_at: '2100-01-01T00:00:00.000Z',
  last_used_at: null,
  revoked_at: null,
};
export const testMessage = {
  id: ids.key,
  kind: 'invitation',
  channel: 'mail',
  to: 'anna@test.example.com',
  drop_id: ids.drop,
  request_id: null,
  subject: 'Alpha sent you a file',
  text: 'Download it: https://files.example.org/d/token',
  link: 'https://files.example.org/d/token',
  code: null,
  created_at: time,
};
export const account = {
  email: 'alpha@machines.test',
  mode: 'live',
  display_name: 'Alpha',
  phone: '46700000001',
  language: 'en',
  key: { id: ids.key, scopes: key.scopes, networks: key.networks, expires_at: key.expires_at },
  limits: {
    file_size: 104_857_600,
    file_size_reason: 'scan',
    files_per_drop: 1000,
    receivers_per_drop: 1000,
    min_expires_in: 86_400,
    max_expires_in: 30 * 86_400,
    default_expires_in: 7 * 86_400,
    allowed_expires_in: null,
    stored_size: 4e9,
    drops_per_day: 100,
    mails_per_day: null,
    receiver_domains: null,
  },
  usage: { stored_size: 1.2e9, available_size: 2.8e9, drops_today: 3, mails_today: 12 },
};
export const webhook = {
  id: ids.webhook,
  url: 'https://example.org/waybill',
  types: null,
  description: 'archive',
  public_keys: ['whpk_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='],
  created_at: time,
  created_by: ids.key,
  previous_secret_until: null,
  scopes: null,
  failing_since: null,
  disabled_at: null,
  disabled_reason: null,
};
export const attempt = {
  id: ids.event,
  event_id: ids.event,
  type: 'webhook.test',
  attempt: 1,
  at: time,
  status: 204 as number | null,
  failure: null as string | null,
  duration_ms: 35,
};
export const event = {
  id: ids.event,
  type: 'drop.completed',
  timestamp: time,
  data: { drop_id: ids.drop },
};
const contact = { email: 'cy@example.com', name: '', phone: '', language: '', groups: [], list: 'local' };
const imported = { contacts: [{ email: 'bo@example.com', result: 'created' }] };
const upload = { id: ids.upload, name: 'file', path: 'file', state: 'ready', size: 0, received: 0, sha256: '' };
const ofLink = {
  reference: 'WB-7F3K-29QD',
  sender: { name: 'Acme', email: 'orders@example.org' },
  message: 'The drawings of May.',
  created_at: time,
  expires_at: time,
};
const page = (...data: unknown[]) => ({ data, next_cursor: null });

/** Responses, or functions that respond, by method and path. `ID` in a path stands for any id. */
export type Replies = Record<string, unknown>;

const replies: Replies = {
  'GET account': account,
  'GET drops': page(drop),
  'GET drops/ID': dropDetails,
  'POST drops': { ...drop, receivers: [] },
  'POST drops/ID/receivers': { id: 2, email: 'cy@example.com' },
  'POST drops/check': { receiver_count: 1, file_count: 0, size: 0, expires_in: 604_800 },
  'POST drops/ID/receivers/0/resend': undefined,
  'POST drops/ID/receivers/0/revoke': drop,
  'GET drops/ID/receivers/0/receipt.pdf': (response: ServerResponse) => void response.end('%PDF-1.7'),
  'GET drops/ID/receivers/0/receipt.json': { type: 'waybill-receipt@v1' },
  'POST drops/ID/revoke': { ...drop, state: 'revoked' },
  'POST drops/ID/extend': drop,
  'POST drops/ID/remind': { reminded: 1 },
  'GET requests': page(fileRequest),
  'GET requests/ID': fileRequestDetails,
  'POST requests': { ...fileRequest, receivers: [] },
  'POST requests/check': { receiver_count: 1, expires_in: 604_800 },
  'GET contacts': page(contact),
  'DELETE contacts/anna%40example.com': undefined,
  'POST contacts/import': imported,
  'POST contacts/import/check': imported,
  'GET keys': { data: [key] },
  'GET test/messages': page(testMessage),
  'POST keys': { ...key, api_key: 'wb_new' },
  'DELETE keys/ID': undefined,
  'GET webhooks': { data: [webhook] },
  'POST webhooks': { ...webhook, secret: 'whsec_c2VjcmV0' },
  'DELETE webhooks/ID': undefined,
  'POST webhooks/ID/enable': webhook,
  'POST webhooks/ID/disable': webhook,
  'POST webhooks/ID/test': { event_id: ids.event },
  'POST webhooks/ID/replay': { event_count: 3 },
  'GET webhooks/ID/attempts': page(attempt),
  'GET events': { data: [event], next_cursor: 'next', has_more: false },
  'POST inbox/claim': { data: [] },
  'GET inbox': page(),
  'POST inbox/ID/release': {},
  'POST uploads': upload,
  'GET uploads/ID': upload,
  'POST link/open': (response: ServerResponse, { body }: ReceivedRequest) => {
    const { kind } = JSON.parse(body.toString()) as { kind: string };
    succeed(response, { session: 'wbl_session', kind, reference: 'WB-7F3K-29QD', code: null });
  },
  'GET link/drop': { ...ofLink, completed_at: time, files: [] },
  'GET link/request': {
    ...ofLink,
    reusable: true,
    used: false,
    max_files: 1_000,
    max_file_size: 1_000_000,
    last_sent: null,
  },
  'GET link/uploads': { data: [] },
  'POST link/uploads': createLinkUpload,
  'GET link/uploads/ID': (response: ServerResponse) => succeed(response, linkUpload),
  'GET link/receipt.pdf': (response: ServerResponse) => void response.end('%PDF-1.7'),
  'POST link/send': { sent_at: time, files: [] },
  'POST link/close': undefined,
};

/** The last upload through a link, complete and checked. */
let linkUpload: object = upload;

function createLinkUpload(response: ServerResponse, { headers }: ReceivedRequest): void {
  const [, encoded = ''] = /path ([^,]*)/.exec(String(headers['upload-metadata'])) ?? [];
  const path = Buffer.from(encoded, 'base64').toString();
  linkUpload = {
    ...upload,
    refusal: null,
    path,
    sha256: createHash('sha256')
      .update(exampleContent[path] ?? '')
      .digest('hex'),
  };
  response.writeHead(201, { Location: `/api/v1/link/uploads/${ids.upload}` }).end();
}

/** The files that examples send through links. */
export const exampleContent: Readonly<Record<string, string>> = {
  'report.pdf': 'a report',
  'drawings/plan.pdf': 'a plan',
};

/** Starts a server that has one object of every kind. */
export async function startExampleServer(more: Replies = {}, onAsked?: (what: string) => void): Promise<WireServer> {
  const known = { ...replies, ...more };
  return await WireServer.start((seen, response) => {
    const what = toRequestKey(seen);
    onAsked?.(what);
    if (Object.hasOwn(known, what)) respond(response, known[what], seen);
    else refuse(response, 404, 'not_found');
  });
}

function toRequestKey({ method, path }: ReceivedRequest): string {
  return `${method} ${path.replace(/\?.*/, '').replace(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b/, 'ID')}`;
}

function respond(response: ServerResponse, value: unknown, seen: ReceivedRequest): void {
  if (typeof value === 'function') value(response, seen);
  else if (value === undefined) response.writeHead(204).end();
  else succeed(response, value, { ETag: '"1"' });
}
