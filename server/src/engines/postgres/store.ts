import type { Store } from '../../domain/ports/index.ts';
import { accountStore } from './accounts.ts';
import { auditStore } from './audit.ts';
import { contactStore } from './contacts.ts';
import type { Database } from './database.ts';
import { draftStore } from './drafts.ts';
import { dropStore } from './drops.ts';
import { exclusively } from './exclusively.ts';
import { fileStore } from './files.ts';
import { linkStore } from './links.ts';
import { outboxStore } from './outbox.ts';
import { whenReachable } from './unavailable.ts';
import { uploadStore } from './uploads.ts';
import { sampleWrappedKeys } from './wrapped-keys.ts';

export function postgresStore(db: Database): Store {
  return whenReachable({
    accounts: accountStore(db),
    contacts: contactStore(db),
    drafts: draftStore(db),
    files: fileStore(db),
    drops: dropStore(db),
    links: linkStore(db),
    uploads: uploadStore(db),
    outbox: outboxStore(db),
    audit: auditStore(db),
    sampleWrappedKeys: () => sampleWrappedKeys(db),
    exclusively: (name, work) => exclusively(db, name, work),
    transaction: (work) => db.transaction().execute((tx) => work(postgresStore(tx))),
  });
}
