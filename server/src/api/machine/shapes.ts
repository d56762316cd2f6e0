import type { FileReference, HistoryEntry, InboxEntry, Sender, UploadedFile } from '@waybill/protocol';
import type { Account } from '../../domain/accounts/account-store.ts';
import type { HistoryDrop, InboxDrop } from '../../domain/drops/read-history.ts';
import type { FileLine, StagedFile } from '../../domain/files/file-store.ts';
import { fromReceiver } from './contact-shapes.ts';

/** The domain's values in the shapes of docs/api.md#operations. */
export function uploadedFile(file: StagedFile): UploadedFile {
  return { name: file.name, type: file.mediaType, size: humanSize(file.sizeBytes) };
}

/** With our extension, for clients that skip files that are already staged. */
export function uploadedFileWithDigest(file: StagedFile): UploadedFile {
  return { ...uploadedFile(file), bytes: file.sizeBytes, sha256: file.sha256.toString('hex') };
}

export function historyEntry(drop: HistoryDrop, sender: Sender): HistoryEntry {
  return {
    drop_type: drop.type,
    create_time: String(drop.createdSeconds),
    ttl: String(drop.lifetime),
    receivers: drop.receivers.map(fromReceiver),
    ddmessage: drop.message,
    sender,
    files: drop.files.map(fileReference),
  };
}

export function inboxEntry(drop: InboxDrop): InboxEntry {
  return {
    ttl: String(drop.lifetime),
    createtime: String(drop.createdSeconds),
    sender: drop.sender,
    files: drop.files.map(fileReference),
    url: drop.id,
  };
}

export function toSender(account: Account): Sender {
  return {
    email: account.email,
    number: account.phone,
    lang: account.language,
    first_run: 'false',
    accountType: account.type,
    change_passwd: 'false',
    settings: { show_number: 'true', show_email: 'true', show_lang: 'true', show_nick: 'true' },
  };
}

function fileReference(file: FileLine): FileReference {
  return { name: file.name, settings: JSON.stringify(file.scan === 'unscanned' ? ['unscanned'] : []) };
}

/** Like `1.4 MB`, in powers of 1000. */
export function humanSize(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  let value = bytes;
  let unit = 0;
  // 999.95 would be shown as 1000.0
  while (value >= (unit === 0 ? 1000 : 999.95) && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}
