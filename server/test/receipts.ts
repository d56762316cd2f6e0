import { generateKeyPairSync, sign } from 'node:crypto';
import {
  computeRoot,
  createSigner,
  type EventData,
  type EventKind,
  type EvidenceEvent,
  encodeBase64,
  formatCheckpoint,
  formatReceipt,
  formatVerifierKey,
  hashLeaf,
  type Policy,
  parsePolicy,
  proveInclusion,
  signNote,
  toCommitment,
} from '@waybill/evidence';

const drop = '0190b2c8-1f7a-7c3e-9d61-5a1b2c3d4e5f';
const origin = 'files.example.org/log/1';
const dropKinds: ReadonlySet<string> = new Set([
  'submission.accepted',
  'drop.extended',
  'drop.expired',
  'drop.revoked',
  'drop.restored',
]);

export type Told<Kind extends EventKind = EventKind> = Kind extends EventKind
  ? { readonly at: string; readonly kind: Kind; readonly data: EventData<Kind> }
  : never;

/** An event, this many minutes after the first. */
export function tell<Kind extends EventKind>(minute: number, kind: Kind, data: EventData<Kind>): Told {
  const at = new Date(Date.UTC(2026, 10, 18, 9, minute, 7, 123)).toISOString();
  return { at, kind, data } as Told;
}

export function toFiles(...names: readonly string[]) {
  return names.map((name, index) => ({
    name,
    size: 12_345 * (index + 1),
    sha256: (index % 256).toString(16).padStart(2, '0').repeat(32),
  }));
}

/** The first events of a delivery to Anna. */
export function beginDelivery(
  files: ReturnType<typeof toFiles>,
  { code = 'none', name = 'Anna Andersson' }: Partial<Pick<EventData<'content.consigned'>, 'code' | 'name'>> = {},
): Told[] {
  const to = 'anna@example.com';
  return [
    tell(0, 'submission.accepted', {
      reference: 'WB-7F3K-29QD',
      type: 'drop',
      sender: { address: 'orders@example.org', by: 'person' },
      files,
      receivers: 1,
      expires_at: '2026-12-02T09:00:00.000Z',
      message_sha256: null,
    }),
    tell(0, 'content.consigned', { address: to, name, code, notified: true }),
    tell(1, 'notification.sent', { channel: 'mail', to, purpose: 'invitation' }),
  ];
}

export function handOver(minute: number, files: ReturnType<typeof toFiles>): Told[] {
  return files.map((file) => tell(minute, 'content.handed_over', { file, via: 'link' }));
}

/** The first events of a request to Anna for files. */
export function beginRequest(): Told[] {
  const [, ...others] = beginDelivery([]);
  return [
    tell(0, 'submission.accepted', {
      reference: 'WB-7F3K-29QD',
      type: 'request',
      sender: { address: 'orders@example.org', by: 'person' },
      files: [],
      receivers: 1,
      expires_at: null,
      message_sha256: null,
    }),
    ...others,
  ];
}

/** A receipt in each state that its first page distinguishes. */
export function listReceiptStates(): Record<string, readonly Told[]> {
  const files = toFiles('contract.pdf', 'annex.pdf', 'photo.jpg');
  const begun = beginDelivery(files);
  const opened = tell(3, 'link.opened', {});
  const expired = [
    tell(50, 'drop.expired', { key_day: '2026-12-02' }),
    tell(59, 'key.destroyed', { day: '2026-12-02' }),
  ];
  return {
    complete: [
      ...beginDelivery(files, { code: 'sms' }),
      opened,
      tell(4, 'code.entered', { channel: 'sms' }),
      ...handOver(14, files),
    ],
    partly: [...begun, opened, ...handOver(14, files.slice(0, 2))],
    failed: [
      ...begun,
      tell(2, 'notification.failed', { to: 'anna@example.com', status: '5.1.1', reason: '550 5.1.1 unknown user' }),
    ],
    revoked: [
      ...begun,
      tell(20, 'link.shown', { by: 'orders@example.org' }),
      tell(30, 'drop.revoked', { by: 'orders@example.org', key_day: null }),
    ],
    expired: [...begun, opened, ...handOver(14, files), ...expired],
    unopened: [...begun, tell(2, 'notification.accepted', { to: 'anna@example.com', status: '2.1.5' }), ...expired],
    message: [...beginDelivery([]), opened],
    received: [...beginRequest(), opened, tell(5, 'content.received', { reference: 'WB-2222-3333', files })],
    waiting: beginRequest(),
  };
}

/** Logs the events in a log of their own, and returns their receipt and the policy that trusts it. */
export async function makeTestReceipt(told: readonly Told[]): Promise<{ json: Uint8Array; policy: Policy }> {
  const numbers = new Map<string, number>();
  const entries = told.map(({ at, kind, data }, index) => {
    const story = dropKinds.has(kind) ? { drop } : kind === 'key.destroyed' ? {} : { drop, receiver: 0 };
    const number = numbers.get(JSON.stringify(story)) ?? 0;
    numbers.set(JSON.stringify(story), number + 1);
    const id = `0190b2c8-1f7a-7c3e-9d61-${String(index).padStart(12, '0')}`;
    const event = { at, data, id, kind, number, ...story } as EvidenceEvent;
    const salt = new Uint8Array(32).fill(index % 256);
    return { event, salt, leaf: hashLeaf(toCommitment(event, salt)) };
  });
  const leaves = entries.map(({ leaf }) => leaf);
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const key = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  const signer = createSigner({
    name: origin,
    type: 1,
    publicKey: key,
    sign: async (message) => sign(null, message, privateKey),
    readTime: () => 0,
  });
  const checkpoint = await signNote(formatCheckpoint({ origin, size: leaves.length, root: computeRoot(leaves) }), [
    signer,
  ]);
  const readTile = async ({ level, index, width }: { level: number; index: number; width: number }) => {
    if (level > 0) throw new RangeError('a log for tests has one tile');
    return Buffer.concat(leaves.slice(index * 256, index * 256 + width));
  };
  const json = formatReceipt({
    type: 'waybill-receipt@v1',
    drop,
    receiver: 0,
    issued_at: '2026-11-18T10:00:00.000Z',
    checkpoints: [checkpoint],
    entries: await Promise.all(
      entries.map(async ({ event, salt }, index) => ({
        checkpoint: 0,
        event,
        index,
        proof: (await proveInclusion(readTile, index, leaves.length)).map(encodeBase64),
        salt: encodeBase64(salt),
      })),
    ),
  });
  return { json, policy: parsePolicy(`log ${formatVerifierKey(origin, 1, key)}\nquorum none\n`) };
}
