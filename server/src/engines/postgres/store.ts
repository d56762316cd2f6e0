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
import { stopStore } from './links/stops.ts';
import { outboxStore } from './outbox.ts';
import { personStore } from './people/people.ts';
import { personLinkStore, usedTokenStore } from './people/person-links.ts';
import { sessionStore } from './people/sessions.ts';
import { signInMethodStore } from './people/sign-in-methods.ts';
import { publicPageStore } from './public-page/public-pages.ts';
import { receiverStore } from './receivers.ts';
import { responseStore } from './responses.ts';
import { whenReachable } from './unavailable.ts';

export function postgresStore(db: Database, traceparent: Traceparent = () => undefined): Store {
  return whenReachable({
    accounts: accountStore(db),
    accountDeletions: accountDeletionStore(db),
    responses: responseStore(db),
    contacts: contactStore(db),
    receivers: receiverStore(db),
    drafts: draftStore(db),
    files: fileStore(db),
    drops: dropStore(db),
    sentDrops: sentDropStore(db),
    requests: requestStore(db),
    inbox: inboxStore(db),
    links: linkStore(db),
    uploads: uploadStore(db, traceparent),
    outbox: outboxStore(db, traceparent),
    stops: stopStore(db),
    publicPages: publicPageStore(db, traceparent),
    audit: auditStore(db),
    evidence: evidenceStore(db),
    evidenceLog: evidenceLogStore(db),
    auditTargets: auditTargetStore(db),
    events: eventStore(db),
    quotas: quotaStore(db),
    holds: holdStore(db),
    scrub: scrubStore(db),
    webhooks: webhookStore(db, traceparent),
    webhookDeliveries: webhookDeliveryStore(db, traceparent),
    wrappedKeys: wrappedKeyStore(db),
    dayKeys: dayKeyStore(db),
    undeletedObjects: undeletedObjectStore(db),
    people: personStore(db),
    personLinks: personLinkStore(db, traceparent),
    sessions: sessionStore(db, traceparent),
    signInMethods: signInMethodStore(db),
    usedTokens: usedTokenStore(db),
    exclusively: (name, work) => exclusively(db, name, work),
    transaction: (work) => {
      // An operation inside another's transaction is a part of it.
      if (db.isTransaction) return work(postgresStore(db, traceparent));
      return db.transaction().execute((tx) => work(postgresStore(tx, traceparent)));
    },
  });
}
