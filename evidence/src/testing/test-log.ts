import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { ml_dsa44 } from '@noble/post-quantum/ml-dsa.js';
import { encodeBase64, encodeText } from '../bytes.ts';
import { formatCheckpoint } from '../checkpoint.ts';
import { type EventData, type EventKind, type EvidenceEvent, toCommitment } from '../event.ts';
import { createSigner, formatVerifierKey } from '../keys.ts';
import { hashLeaf } from '../merkle.ts';
import { type SignatureType, type Signer, signNote } from '../note.ts';
import { formatPolicy } from '../policy.ts';
import { formatReceipt, type Receipt, type ReceiptEntry } from '../receipt.ts';
import { appendLeaves, edgeRoot, emptyEdge, formatTilePath, proveInclusion, type ReadTile } from '../tiles.ts';

/** A key pair that is always the same for the same name, and its signer. */
export function createTestKey(name: string, type: SignatureType, time = '2026-11-18T09:10:00.000Z') {
  const seed = sha256(encodeText(`${name} ${type}`));
  const readTime = () => Math.floor(Date.parse(time) / 1_000);
  const pair = type === 6 ? ml_dsa44.keygen(seed) : { secretKey: seed, publicKey: ed25519.getPublicKey(seed) };
  const sign = (message: Uint8Array) =>
    type === 6
      ? ml_dsa44.sign(message, pair.secretKey, { extraEntropy: false })
      : ed25519.sign(message, pair.secretKey);
  const signer: Signer = createSigner({ name, type, publicKey: pair.publicKey, sign, readTime });
  return { signer, publicKey: pair.publicKey, vkey: formatVerifierKey(name, type, pair.publicKey) };
}

/** Tiles in memory. A tile that is narrower than all that were written is the beginning of a wider one. */
export function createTileStore(): { tiles: Map<string, Uint8Array>; readTile: ReadTile } {
  const tiles = new Map<string, Uint8Array>();
  const readTile: ReadTile = async (tile) => {
    for (let width = tile.width; width <= 256; width++) {
      const bytes = tiles.get(formatTilePath({ ...tile, width }));
      if (bytes) return bytes.subarray(0, tile.width * 32);
    }
    throw new Error(`${formatTilePath(tile)} was never written`);
  };
  return { tiles, readTile };
}

export interface TestLogOptions {
  readonly origin?: string;
  /** The types of the log's keys. */
  readonly keys?: readonly SignatureType[];
  /** The names of witnesses, all of which the policy demands. */
  readonly witnesses?: readonly string[];
  /** The time of all cosignatures. */
  readonly time?: string;
}

/** A log in memory that signs and proves as a server does. */
export function createTestLog({
  origin = 'files.example.org/log/1',
  keys = [1],
  witnesses = ['w1'],
  time = '2026-11-18T09:10:00.000Z',
}: TestLogOptions = {}) {
  const logKeys = keys.map((type) => createTestKey(origin, type, time));
  const witnessKeys = witnesses.map((name) => createTestKey(`witness.example.org/${name}`, 4, time));
  const store = createTileStore();
  const entries: { event: EvidenceEvent; salt: Uint8Array }[] = [];
  let edge = emptyEdge;

  /** Appends an event, with a salt that follows from its index. */
  const append = (event: EvidenceEvent): number => {
    const salt = sha256(encodeText(`${origin} ${entries.length}`));
    const appended = appendLeaves(edge, [hashLeaf(toCommitment(event, salt))]);
    for (const { tile, bytes } of appended.tiles) store.tiles.set(formatTilePath(tile), bytes);
    edge = appended.edge;
    return entries.push({ event, salt }) - 1;
  };
  const signCheckpoint = (): Promise<string> =>
    signNote(
      formatCheckpoint({ origin, size: edge.size, root: edgeRoot(edge) }),
      [...logKeys, ...witnessKeys].map(({ signer }) => signer),
    );
  /** Returns entries of a receipt for all events that belong to a drop and receiver, as far as the log knows them. */
  const proveEntries = (drop: string, receiver: number, checkpoint = 0): Promise<ReceiptEntry[]> =>
    Promise.all(
      entries.flatMap(({ event, salt }, index) =>
        isAbout(event, drop, receiver)
          ? [
              proveInclusion(store.readTile, index, edge.size).then((proof) => ({
                checkpoint,
                event,
                index,
                proof: proof.map(encodeBase64),
                salt: encodeBase64(salt),
              })),
            ]
          : [],
      ),
    );
  const rules = [
    ...witnesses.map((name, position) => `witness ${name} ${witnessKeys[position]?.vkey ?? ''}\n`),
    ...(witnesses.length > 0 ? [`group witnesses all ${witnesses.join(' ')}\nquorum witnesses\n`] : ['quorum none\n']),
  ].join('');
  return {
    origin,
    /** Lets others trust this log and its witnesses. */
    policy: formatPolicy(
      logKeys.map(({ vkey }) => ({ key: vkey })),
      rules,
    ),
    readTile: store.readTile,
    append,
    signCheckpoint,
    proveEntries,
    readSize: () => edge.size,
  };
}

function isAbout(event: EvidenceEvent, drop: string, receiver: number): boolean {
  if (event.kind === 'key.destroyed') return true;
  return event.drop === drop && (event.receiver ?? receiver) === receiver;
}

export const testDrop = '0190b2c8-1f7a-7c3e-9d61-5a1b2c3d4e5f';

/** Makes events whose numbers and ids follow from their order. */
export function createStory() {
  const counts = new Map<string, number>();
  let made = 0;
  return <K extends EventKind>(
    kind: K,
    data: EventData<K>,
    { at = '2026-11-18T09:00:00.000Z', drop, receiver }: { at?: string; drop?: string; receiver?: number } = {},
  ): EvidenceEvent => {
    const story = `${drop} ${receiver}`;
    const number = counts.get(story) ?? 0;
    counts.set(story, number + 1);
    const id = `0190b2c8-1f7a-7c3e-9d61-${String(made++).padStart(12, '0')}`;
    return {
      at,
      data,
      ...(drop !== undefined && { drop }),
      id,
      kind,
      number,
      ...(receiver !== undefined && { receiver }),
    };
  };
}

export const testFiles = ['report.pdf', 'figures.csv'].map((name, position) => ({
  name,
  size: 1_000 + position,
  sha256: String(position).repeat(64),
}));

/** Returns a delivery to two receivers from its beginning to the destruction of its key. The first receiver got the first file. */
export function listSampleEvents(): EvidenceEvent[] {
  const makeEvent = createStory();
  const drop = testDrop;
  const [firstFile] = testFiles;
  const at = (minute: number) => `2026-11-18T09:0${minute}:00.000Z`;
  const receivers = ['anna@example.com', 'bert@example.com'];
  return [
    makeEvent('log.started', { origin: 'files.example.org/log/1', previous: null, reason: 'new' }, { at: at(0) }),
    makeEvent(
      'submission.accepted',
      {
        reference: 'WB-7F3K-29QD',
        type: 'drop',
        sender: { address: 'sender@example.org', by: 'person' },
        files: testFiles,
        receivers: 2,
        expires_at: '2026-11-25T09:00:00.000Z',
        message_sha256: null,
      },
      { at: at(1), drop },
    ),
    ...receivers.map((address, receiver) =>
      makeEvent('content.consigned', { address, code: 'sms', notified: true }, { at: at(1), drop, receiver }),
    ),
    ...receivers.map((to, receiver) =>
      makeEvent('notification.sent', { channel: 'mail', to, purpose: 'invitation' }, { at: at(2), drop, receiver }),
    ),
    makeEvent('link.shown', { by: 'sender@example.org' }, { at: at(3), drop, receiver: 0 }),
    makeEvent('link.opened', {}, { at: at(4), drop, receiver: 0 }),
    makeEvent('code.entered', { channel: 'sms' }, { at: at(4), drop, receiver: 0 }),
    ...(firstFile
      ? [makeEvent('content.handed_over', { file: firstFile, via: 'link' }, { at: at(5), drop, receiver: 0 })]
      : []),
    makeEvent('drop.revoked', { by: 'sender@example.org', key_day: '2026-11-25' }, { at: at(6), drop }),
    makeEvent('key.destroyed', { day: '2026-11-25' }, { at: at(7) }),
  ];
}

/** Returns a valid receipt of the sample delivery and the policy to verify it with. */
export async function makeSampleReceipt(options: TestLogOptions = {}, events = listSampleEvents(), receiver = 0) {
  const log = createTestLog(options);
  for (const event of events) log.append(event);
  const receipt: Receipt = {
    type: 'waybill-receipt@v1',
    drop: testDrop,
    receiver,
    issued_at: '2026-11-18T10:00:00.000Z',
    checkpoints: [await log.signCheckpoint()],
    entries: await log.proveEntries(testDrop, receiver),
  };
  return { log, receipt, bytes: formatReceipt(receipt), policy: log.policy };
}
