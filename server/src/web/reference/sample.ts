import { machineExamples } from '../../api/machine/example-values.ts';
import { type Document, getReferredName, resolve, type Schema } from './document.ts';

const id = '0199c1d2-7f00-7000-8000-2f9d4c6b1a3e';
const sha256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

/**
 * Values of fields, by the name of the field or of the schema and the field. Each is valid for its schema, which a test
 * checks; a field that is not here has a value that follows from its schema.
 */
const values: Readonly<Record<string, unknown>> = {
  email: 'anna@example.org',
  receiver: 'anna@example.org',
  sender: 'anna@example.org',
  display_name: 'Acme Plant 2',
  phone: '46701234567',
  language: 'sv',
  name: 'report.pdf',
  file_name: 'report.pdf',
  path: 'drawings/may/report.pdf',
  media_type: 'application/pdf',
  sha256,
  size: 184_320,
  received: 184_320,
  message: 'The drawings of May.',
  reference: 'WB-7F3K-29QD',
  token: 'hIXk0Q2Jr8vYt4mZ1cN7aEw5LbPfS9dUoG3xRjKyTqA',
  session: 'wbl_Vb1sT7yQe0mWc4Kx9Jd2LnRz8GpHf3uAoY6iXkN5tEg',

  'EnterCodeInput.code': '123456',
  'LinkCode.to': 'a•••@example.com',
  external_id: 'order-4711',
  metadata: { project: 'northern bridge' },
  networks: ['192.0.2.0/24'],
  groups: ['press'],
  hint: 'wb_3fK9',
  api_key: 'wb_3fK9…',
  secret: 'whsec_…',
  public_keys: ['whpk_…'],
  url: 'https://example.org/waybill',
  link: 'https://files.example.org/d/…',
  description: 'archive',
  created_at: '2030-01-31T12:00:00Z',
  expires_at: '2030-02-07T12:00:00Z',
  lease_ends_at: '2030-01-31T12:05:00Z',
  next_cursor: null,
  revoked_at: null,
  parked_at: null,
  acknowledged_at: null,
  undeliverable_at: null,
  undeliverable_reason: null,
  refusal: null,
  failure: null,
  second_factor: 'mail',
  expires_in: 604_800,
  min_expires_in: 86_400,
  max_expires_in: 2_592_000,
  default_expires_in: 604_800,
  allowed_expires_in: null,
  receiver_domains: null,
  stored_size: 4_000_000_000,
  available_size: 2_800_000_000,
  file_size: 10_000_000_000,
  files_per_drop: 1000,
  receivers_per_drop: 1000,
  drops_per_day: 100,
  mails_per_day: 500,
  drops_today: 3,
  mails_today: 12,
  'Account.email': 'orders@example.org',
  'ApiKey.name': 'nightly upload',
  'ApiKey.created_by': null,
  'ApiKey.expires_at': null,
  'CreatedApiKey.name': 'nightly upload',
  'CreatedApiKey.expires_at': null,
  'CreatedApiKey.last_used_at': null,
  'Contact.name': 'Anna Berg',
  'DropReceiver.name': 'Anna Berg',
  'DropReceiver.state': 'completed',
  'FileRequestReceiver.name': 'Anna Berg',
  'FileRequestReceiver.state': 'fulfilled',
  'ClaimedEntry.state': 'claimed',
  'InboxEntry.lease_ends_at': null,
  'InboxEntryDetails.lease_ends_at': null,
  'Upload.state': 'ready',
  'Upload.scan': 'clean',
  'Fault.pointer': '/receivers/0/email',
  'Fault.code': 'invalid_input',
  'Fault.detail': 'It is not an e-mail address.',
  ...machineExamples,
};

/** Creates a value that is valid for the schema. */
export function createSample(document: Document, schema: Schema, field = '', owner = ''): unknown {
  const own = [`${owner}.${field}`, field].find((name) => name in values && fits(document, schema, values[name]));
  if (own !== undefined) return values[own];
  const name = getReferredName(schema) ?? '';
  const { properties, maxProperties, items, anyOf, const: only, enum: choices, ...rest } = resolve(document, schema);
  if (only !== undefined) return only;
  if (choices) return choices[0];
  if (anyOf?.[0]) return createSample(document, anyOf[0], field, owner);
  if (items) return [createSample(document, items, field, owner)];
  if (properties) {
    return Object.fromEntries(
      Object.entries(properties)
        .slice(0, maxProperties)
        .map(([key, inner]) => [key, createSample(document, inner, key, name)]),
    );
  }
  const { type, format, minimum } = rest;
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return minimum ?? 1;
  if (type === 'object') return {};
  if (format === 'uuid') return id;
  if (format === 'date-time') return '2030-01-31T12:00:00Z';
  return format === 'uri' ? 'https://files.example.org/…' : 'text';
}

/** Whether the type of the value is one of the schema's; the same name has several types. */
function fits(document: Document, schema: Schema, value: unknown): boolean {
  const { type, anyOf, enum: choices, const: only, items, properties } = resolve(document, schema);
  if (anyOf) return anyOf.some((one) => fits(document, one, value));
  if (only !== undefined) return only === value;
  if (choices) return choices.some((choice) => choice === value);
  if (properties) return false;
  if (items) return Array.isArray(value);
  if (value === null) return type === 'null';
  return type === (Number.isInteger(value) && type === 'integer' ? 'integer' : typeof value);
}
