import type { Store } from '../../domain/store.ts';
import { accountDeletionStore } from './account-deletions.ts';
import { accountStore } from './accounts.ts';
import { answerStore } from './answers.ts';
import { auditStore } from './audit.ts';
import { contactStore } from './contacts.ts';
import type { Database } from './database.ts';
import { dayKeyStore } from './day-keys.ts';
import { draftStore } from './drafts.ts';
import { dropStore } from './drops.ts';
import { eventStore } from './events.ts';
import { exclusively } from './exclusively.ts';
import { fileStore } from './files.ts';
import { holdStore } from './holds.ts';
import { inboxStore } from './inbox.ts';
import type { Traceparent } from './job-payload.ts';
import { linkStore } from './links.ts';
import { outboxStore } from './outbox.ts';
import { quotaStore } from './quotas.ts';
import { scrubStore } from './scrub.ts';
import { sentDropStore } from './sent-drops.ts';
import { stopStore } from './stops.ts';
import { whenReachable } from './unavailable.ts';
import { undeletedObjectStore } from './undeleted-objects.ts';
import { uploadStore } from './uploads.ts';
import { webhookDeliveryStore } from './webhook-deliveries.ts';
import { webhookStore } from './webhooks.ts';
import { wrappedKeyStore } from './wrapped-key-store.ts';

export function postgresStore(db: Database, traceparent: Traceparent = () => undefined): Store {
  return whenReachable({
    accounts: accountStore(db),
    accountDeletions: accountDeletionStore(db),
    answers: answerStore(db),
    contacts: contactStore(db),
    drafts: draftStore(db),
    files: fileStore(db),
    drops: dropStore(db),
    sentDrops: sentDropStore(db),
    inbox: inboxStore(db),
    links: linkStore(db),
    uploads: uploadStore(db, traceparent),
    outbox: outboxStore(db, traceparent),
    stops: stopStore(db),
    audit: auditStore(db),
    events: eventStore(db),
    quotas: quotaStore(db),
    holds: holdStore(db),
    scrub: scrubStore(db),
    webhooks: webhookStore(db, traceparent),
    webhookDeliveries: webhookDeliveryStore(db, traceparent),
    wrappedKeys: wrappedKeyStore(db),
    dayKeys: dayKeyStore(db),
    undeletedObjects: undeletedObjectStore(db),
    exclusively: (name, work) => exclusively(db, name, work),
    transaction: (work) => {
      // An operation inside another's transaction is a part of it.
      if (db.isTransaction) return work(postgresStore(db, traceparent));
      return db.transaction().execute((tx) => work(postgresStore(tx, traceparent)));
    },
  });
}
