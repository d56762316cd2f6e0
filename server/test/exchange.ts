import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { noWitnesses } from '../src/config/witnesses-file.ts';
import { authenticateBearer } from '../src/domain/accounts/authenticate.ts';
import { createAccount } from '../src/domain/accounts/change-account.ts';
import type { Actor, KeyActor } from '../src/domain/actor.ts';
import type { ByCommand } from '../src/domain/audit/audit-store.ts';
import { commandAuthor } from '../src/domain/audit/author.ts';
import { replaceContacts } from '../src/domain/contacts/replace-contacts.ts';
import { openFileList, setReceivers } from '../src/domain/drafts/change-draft.ts';
import { dispatchDraft } from '../src/domain/drops/dispatch-draft.ts';
import { sealedSegmentBytes } from '../src/domain/files/sealing.ts';
import { createDownloadLimits, type DownloadLimits } from '../src/domain/flow/download-limits.ts';
import { MemoryBudget } from '../src/domain/flow/memory-budget.ts';
import { DayKeys } from '../src/domain/keys/day-keys.ts';
import type { MailTemplates } from '../src/domain/outbox/mail-templates.ts';
import { ReturnPaths } from '../src/domain/outbox/return-paths.ts';
import type { Policy } from '../src/domain/policy.ts';
import type { IdentityProviders } from '../src/domain/ports/identity-provider.ts';
import type { KeyProvider } from '../src/domain/ports/key-provider.ts';
import type { AttemptLimit, MessageLimit, ReceiverPace } from '../src/domain/ports/limits.ts';
import type { LogObjects } from '../src/domain/ports/log-objects.ts';
import type { Logger } from '../src/domain/ports/logger.ts';
import type { ReadReport, SmsGateway } from '../src/domain/ports/mailer.ts';
import type { ObjectStore } from '../src/domain/ports/object-store.ts';
import type { Passkeys } from '../src/domain/ports/passkeys.ts';
import type { Random } from '../src/domain/ports/random.ts';
import type { ReceiptPrinter } from '../src/domain/ports/receipt-printer.ts';
import type { Scanner } from '../src/domain/ports/scanner.ts';
import type { WebhookSender } from '../src/domain/ports/webhook-sender.ts';
import type { Witnesses } from '../src/domain/ports/witnesses.ts';
import { Passwords } from '../src/domain/sign-in/password.ts';
import { makePersonLinks, makeStopLinks, type SignedLinks } from '../src/domain/signed-ids.ts';
import type { Store } from '../src/domain/store.ts';
import { LiveUploads } from '../src/domain/uploads/live-uploads.ts';
import { accountOwner } from '../src/domain/uploads/owner.ts';
import { completeUploads, type IncomingFile, stageUpload } from '../src/domain/uploads/stage-upload.ts';
import type { UploadResources } from '../src/domain/uploads/upload-resources.ts';
import { WebhookSecrets } from '../src/domain/webhooks/webhook-secrets.ts';
import { readReport } from '../src/engines/dsn/read-report.ts';
import { keyfileProvider } from '../src/engines/keyfile/key-provider.ts';
import { identityProviders } from '../src/engines/oidc/identity-providers.ts';
import { askWitnesses } from '../src/engines/outgoing/ask-witnesses.ts';
import { webhookSender } from '../src/engines/outgoing/webhook-sender.ts';
import { createReceiptPrinter } from '../src/engines/pdf/print-receipt.ts';
import { webauthnPasskeys } from '../src/engines/webauthn/passkeys.ts';
import { createMailTemplates } from '../src/present/mails/mail-templates.ts';
import { createReceiptWriter } from '../src/present/receipt/receipt-pages.ts';
import { createTranslators } from '../src/present/texts/translator.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { MemoryLimits } from './memory/memory-limits.ts';
import { memoryLogObjects } from './memory/memory-log-objects.ts';
import { type MemoryObjectStore, memoryObjectStore } from './memory/memory-object-store.ts';
import { memoryScanner } from './memory/memory-scanner.ts';
import { plainOperator } from './plain-operator.ts';
import { watchAudit } from './watch-audit.ts';
import { findRequestFaults } from './watch-operations.ts';

export const testPolicy: Policy = {
  publicUrl: 'https://files.example.org',
  mailFrom: 'waybill@example.org',
  operatorName: 'Acme Files',
  supportAddress: 'support@example.org',
  scan: 'off',
  acceptsEncrypted: false,
  lifetime: { unitSeconds: 86_400, min: 1, max: 30, only: null, default: 7 },
  uploadLeaseSeconds: 60,
  maxFileBytes: 100 * 1024 * 1024,
  maxStoredBytes: null,
  dropsPerDay: null,
  mailsPerDay: null,
  receiverDomains: null,
  resumeSeconds: 3600,
  requestMaxBytes: 1024 ** 4,
  publicPage: {
    isAllowed: true,
    mailsPerAddress: 3,
    mailsPerNetwork: 1_000_000,
    mailsPerPage: 1_000_000,
    maxBytes: 1024 ** 3,
  },
  inboxAttempts: 10,
  secondFactor: 'off',
  sharedLinks: 'anybody',
  maxCodesPerReceiver: 1000,
  keepSeconds: {
    drafts: 604_800,
    history: undefined,
    activity: undefined,
    audit: undefined,
    evidence: undefined,
    events: 2_592_000,
    messages: undefined,
    webhooks: 2_592_000,
  },
};

/** A limit that no test reaches unless it sets its own. */
export const plenty = 1_000_000;

/**
 * Everything the domain's operations need, on its own real database. Objects are in memory unless a store is given. Day
 * keys are kept apart from them, so that a test can count the objects of its files.
 */
export interface TestExchange<Objects extends ObjectStore = ObjectStore> extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly engines: {
    readonly store: Store;
    readonly objects: Objects;
    readonly logObjects: LogObjects;
    readonly witnesses: Witnesses;
    readonly timeStampAuthority: undefined;
    readonly masterKeys: KeyProvider;
    readonly dayKeys: DayKeys;
    readonly scanner: Scanner;
    readonly random: Random;
    readonly checkpoint: (name: string) => void;
    readonly sms: SmsGateway | undefined;
    readonly messageLimit: MessageLimit;
    readonly receiverPace: ReceiverPace;
    readonly logger: Logger;
    readonly mailTemplates: MailTemplates;
    readonly receiptPrinter: ReceiptPrinter;
    readonly webhookSender: WebhookSender;
    readonly webhookSecrets: WebhookSecrets;
    readonly returnPaths: ReturnPaths | undefined;
    readonly readReport: ReadReport;
    readonly stopLinks: SignedLinks;
    readonly personLinks: SignedLinks;
    readonly passwords: Passwords;
    readonly passphrases: Passwords;
    readonly passkeys: Passkeys;
    readonly attemptLimit: AttemptLimit;
    readonly identityProviders: IdentityProviders;
    readonly policy: Policy;
    readonly pepper: Buffer;
    readonly administrator: ByCommand['administrator'];
    readonly downloads: DownloadLimits;
    readonly uploadResources: UploadResources;
  };
  /** A new account, with its contacts. */
  account(...contacts: string[]): Promise<KeyActor & { apiKey: string }>;
  upload(actor: Actor, name: string, content?: string | Buffer, draft?: string): Promise<void>;
  /** Everything up to the dispatch. */
  prepare(actor: Actor, receivers: readonly string[], files: readonly string[], draft?: string): Promise<void>;
  /** A drop with these files for these receivers, who must be contacts. Returns its id. */
  drop(actor: Actor, receivers: readonly string[], files: readonly string[]): Promise<string>;
  /** Lets drops or requests expire, as time would; `ago` is an interval of PostgreSQL. */
  expire(ids: string | readonly string[], ago?: string): Promise<void>;
  /** Lets everything that an account has sent expire. */
  expireAll(account: Pick<Actor, 'accountId'>, ago?: string): Promise<void>;
}

/** Without identity providers, as most servers are. */
const noProviders = identityProviders({
  providers: [],
  publicUrl: testPolicy.publicUrl,
  pepper: randomBytes(32),
  random: { bytes: randomBytes, uuid: randomUUIDv7 },
  logger: { warn: () => undefined, info: () => undefined },
});

export function openTestExchange(): Promise<TestExchange<MemoryObjectStore>>;
export function openTestExchange<Objects extends ObjectStore>(
  objects: Objects,
  dayKeyObjects?: ObjectStore,
): Promise<TestExchange<Objects>>;
export async function openTestExchange(
  objects: ObjectStore = memoryObjectStore(),
  dayKeyObjects: ObjectStore = memoryObjectStore(),
): Promise<TestExchange> {
  const database = await createTestDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'waybill-test-'));
  const keyFile = join(folder, 'master-keys');
  writeFileSync(keyFile, `1:${randomBytes(32).toString('base64')}\n`, { mode: 0o600 });
  const random: Random = { bytes: randomBytes, uuid: randomUUIDv7 };
  const masterKeys = keyfileProvider(keyFile, random);
  const dayKeys = new DayKeys({ store: database.store, objects: dayKeyObjects, masterKeys, random });
  const limits = new MemoryLimits();
  const pepper = randomBytes(32);
  const engines = {
    store: watchAudit(database.store),
    objects,
    logObjects: memoryLogObjects(),
    witnesses: askWitnesses(noWitnesses),
    timeStampAuthority: undefined,
    masterKeys,
    dayKeys,
    scanner: memoryScanner(),
    random,
    checkpoint: () => undefined,
    sms: undefined,
    messageLimit: limits.messageLimit({ perAccount: plenty, perReceiver: plenty }),
    receiverPace: limits.receiverPace({ perHour: plenty }),
    logger: { warn: () => undefined, info: () => undefined },
    mailTemplates: createMailTemplates(createTranslators({ fallback: 'en' }), plainOperator),
    receiptPrinter: createReceiptPrinter(
      createReceiptWriter(createTranslators({ fallback: 'en' }), plainOperator, testPolicy.publicUrl),
    ),
    // Receivers of a test are on this machine.
    webhookSender: webhookSender({ allowed: ['127.0.0.1'], allowHttp: true }),
    webhookSecrets: new WebhookSecrets(randomBytes(32)),
    returnPaths: new ReturnPaths('bounces@example.org', randomBytes(32)),
    readReport,
    stopLinks: makeStopLinks(testPolicy.publicUrl, randomBytes(32)),
    personLinks: makePersonLinks(testPolicy.publicUrl, randomBytes(32)),
    passwords: new Passwords(pepper, random),
    passphrases: new Passwords(pepper, random, undefined, 'passphrase'),
    passkeys: webauthnPasskeys(),
    attemptLimit: limits.attemptLimit(),
    identityProviders: noProviders,
    policy: testPolicy,
    pepper,
    administrator: commandAuthor({ user: 'tester' }),
    downloads: createDownloadLimits(64 * 1024 ** 2),
    uploadResources: testUploadResources(database.store),
  };

  const exchange: TestExchange = {
    database,
    engines,
    async account(...contacts) {
      const email = `${randomBytes(6).toString('hex')}@example.org`;
      const { apiKey } = await createAccount(engines, { email, phone: '46701234567', type: 'api' });
      const actor = await authenticateBearer(engines, apiKey, '127.0.0.1');
      const list = contacts.map((contact) => ({ email: contact }));
      if (list.length > 0) await replaceContacts(engines, actor, { contacts: list, lenient: false });
      return { ...actor, apiKey };
    },
    async upload(actor, name, content = `content of ${name}`, draft = '') {
      const owner = accountOwner(actor, draft);
      await completeUploads(engines, owner, [await stageUpload(engines, owner, incomingFile(name, content))]);
    },
    async prepare(actor, receivers, files, draft = '') {
      await setReceivers(
        engines,
        actor,
        draft,
        receivers.map((email) => ({ email })),
      );
      await openFileList(engines, actor, draft);
      for (const name of files) await exchange.upload(actor, name, undefined, draft);
    },
    async drop(actor, receivers, files) {
      await exchange.prepare(actor, receivers, files);
      // A distinct message, or a second drop would be mistaken for a repetition of the first.
      const ddmessage = randomBytes(8).toString('hex');
      await dispatchDraft(engines, actor, { draft: '', parameters: { ddmessage } }, 'downloadfiles');
      const [drop] = await database.query<{ id: string }>('select id from drops where message = $1', [ddmessage]);
      return (drop as { id: string }).id;
    },
    async expire(ids, ago = '1 second') {
      await database.query('update drops set expires_at = now() - $2::interval where id = any($1)', [
        [ids].flat(),
        ago,
      ]);
    },
    async expireAll({ accountId }, ago = '1 second') {
      await database.query('update drops set expires_at = now() - $2::interval where account_id = $1', [
        accountId,
        ago,
      ]);
    },
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
      expect(findRequestFaults(), 'requests that record anything but what is declared for them').toEqual([]);
    },
  };
  return exchange;
}

/** An exchange for a whole test file, closed after its last test. */
export async function useTestExchange(): Promise<TestExchange<MemoryObjectStore>>;
export async function useTestExchange<Objects extends ObjectStore>(objects: Objects): Promise<TestExchange<Objects>>;
export async function useTestExchange(objects: ObjectStore = memoryObjectStore()): Promise<TestExchange> {
  const exchange = await openTestExchange(objects);
  afterAll(async () => {
    const nameless = "select action from audit_entries where author_kind = '' or author_id = '' limit 5";
    const entries = await exchange.database.query(nameless);
    await exchange[Symbol.asyncDispose]();
    expect(entries, 'audit entries that do not name their author').toEqual([]);
  });
  return exchange;
}

export function testUploadResources(store: Pick<Store, 'uploads'>, bytes = 200 * 1024 ** 2): UploadResources {
  return {
    memory: new MemoryBudget({ slabBytes: sealedSegmentBytes, bytes, waitMs: 10_000, maxWaiting: 100 }),
    live: new LiveUploads(store.uploads, { leaseSeconds: testPolicy.uploadLeaseSeconds }),
  };
}

/** A file, by its path in a folder or its name. */
export function incomingFile(path: string, content: string | Buffer = `content of ${path}`): IncomingFile {
  const bytes = Buffer.from(content as string);
  return {
    name: path.slice(path.lastIndexOf('/') + 1),
    path,
    mediaType: 'text/plain',
    bytes: (async function* () {
      yield bytes;
    })(),
  };
}
