import type { Store } from '../../domain/store.ts';
import { accountDeletionStore } from './accounts/account-deletions.ts';
import { accountStore } from './accounts/accounts.ts';
import { quotaStore } from './accounts/quotas.ts';
import { auditStore } from './audit.ts';
import { auditTargetStore } from './audit-targets.ts';
import { contactStore } from './contacts.ts';
import type { Database } from './database.ts';
import { draftStore } from './drops/drafts.ts';
import { dropStore } from './drops/drops.ts';
import { requestStore } from './drops/requests.ts';
import { sentDropStore } from './drops/sent-drops.ts';
import { eventStore } from './events/events.ts';
import { webhookDeliveryStore } from './events/webhook-deliveries.ts';
import { webhookStore } from './events/webhooks.ts';
import { evidenceStore } from './evidence/evidence.ts';
import { evidenceLogStore } from './evidence/evidence-log.ts';
import { exclusively } from './exclusively.ts';
import { fileStore, undeletedObjectStore } from './files/files.ts';
import { scrubStore } from './files/scrub.ts';
import { uploadStore } from './files/uploads.ts';
import { holdStore } from './holds.ts';
import { inboxStore } from './inbox/inbox.ts';
import type { Traceparent } from './jobs/job-payload.ts';
import { dayKeyStore, wrappedKeyStore } from './keys/keys.ts';
import { linkStore } from './links/links.ts';
import { sharedLinkStore } from './links/shared-links.ts';
import { stopStore } from './links/stops.ts';
import { outboxStore } from './outbox.ts';
import { personStore } from './people/people.ts';
import { personLinkStore, usedTokenStore } from './people/person-links.ts';
import { sessionStore } from './people/sessions.ts';
import { signInMethodStore } from './people/sign-in-methods.ts';
import { publicPageStore } from './public-page/public-pages.ts';
import { receiverStore } from './receivers.ts';
import { responseStore } from './responses.ts';
import { testMessageStore } from './test-messages.ts';
import { whenReachable } from './unavailable.ts';

type Build<Part> = (db: Database, traceparent: Traceparent) => Part;

const parts: { readonly [Name in keyof Store]: Build<Store[Name]> } = {
  accounts: accountStore,
  accountDeletions: accountDeletionStore,
  responses: responseStore,
  contacts: contactStore,
  receivers: receiverStore,
  drafts: draftStore,
  files: fileStore,
  drops: dropStore,
  sentDrops: sentDropStore,
  requests: requestStore,
  inbox: inboxStore,
  links: linkStore,
  sharedLinks: sharedLinkStore,
  uploads: uploadStore,
  outbox: outboxStore,
  testMessages: testMessageStore,
  stops: stopStore,
  publicPages: publicPageStore,
  audit: auditStore,
  evidence: evidenceStore,
  evidenceLog: evidenceLogStore,
  auditTargets: auditTargetStore,
  events: eventStore,
  quotas: quotaStore,
  holds: holdStore,
  scrub: scrubStore,
  webhooks: webhookStore,
  webhookDeliveries: webhookDeliveryStore,
  wrappedKeys: wrappedKeyStore,
  dayKeys: dayKeyStore,
  undeletedObjects: undeletedObjectStore,
  people: personStore,
  personLinks: personLinkStore,
  sessions: sessionStore,
  signInMethods: signInMethodStore,
  usedTokens: usedTokenStore,
  exclusively: (db) => (name, work) => exclusively(db, name, work),
  transaction: (db, traceparent) => (work) => {
    // An operation inside another's transaction is a part of it.
    if (db.isTransaction) return work(postgresStore(db, traceparent));
    return db.transaction().execute((tx) => work(postgresStore(tx, traceparent)));
  },
};

/** A part is built when it is first used: a transaction uses few of them. */
export function postgresStore(db: Database, traceparent: Traceparent = () => undefined): Store {
  const built = new Map<PropertyKey, unknown>();
  return new Proxy(parts as unknown as Store, {
    get(_, name) {
      const isNew = Object.hasOwn(parts, name) && !built.has(name);
      if (isNew) built.set(name, whenReachable(parts[name as keyof Store](db, traceparent)));
      return built.get(name);
    },
  });
}
