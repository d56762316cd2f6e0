import {
  AccountView,
  AckInput,
  AddedReceiver,
  CheckedDrop,
  CheckedFileRequest,
  Claimed,
  ClaimedEntry,
  ClaimInput,
  ContactDetails,
  ContactImport,
  ContactPage,
  ContactView,
  CreatedDrop,
  CreatedFileRequest,
  CreatedKey,
  Drop,
  DropDetails,
  DropFile,
  DropList,
  DropReceiver,
  EntryFile,
  type ErrorCode,
  Event,
  EventList,
  EventType,
  Extension,
  Fault,
  FileRequest,
  FileRequestDetails,
  FileRequestList,
  FileRequestReceiver,
  ImportedContact,
  ImportResult,
  InboxEntryWithFiles,
  InboxPage,
  Key,
  KeyList,
  NackInput,
  NewDrop,
  NewKey,
  NewReceiver,
  NewRequest,
  NewWebhook,
  Problem,
  QueuedEntry,
  Reminded,
  RenewInput,
  Replay,
  Revocation,
  RevokedKeys,
  Scope,
  SecretReplacement,
  SentTestEvent,
  Time,
  UploadView,
  WebhookAttempt,
  WebhookAttempts,
  WebhookChanges,
  WebhookList,
  WebhookView,
  WebhookWithSecret,
} from '@waybill/protocol';
import { Type } from 'typebox';

/** Generated clients call their types by these names, so a name is part of the contract. */
export const namedSchemas = {
  Time,
  Scope,
  Account: AccountView,
  Key,
  KeyList,
  NewKey,
  CreatedKey,
  RevokedKeys,
  Contact: ContactView,
  ContactPage,
  ContactDetails,
  ImportedContact,
  ContactImport,
  ContactImportResult: ImportResult,
  Upload: UploadView,
  NewReceiver,
  AddedReceiver,
  NewDrop,
  CreatedDrop,
  CheckedDrop,
  Drop,
  DropPage: DropList,
  DropReceiver,
  DropFile,
  DropDetails,
  NewFileRequest: NewRequest,
  CreatedFileRequest,
  CheckedFileRequest,
  FileRequest,
  FileRequestPage: FileRequestList,
  FileRequestReceiver,
  FileRequestDetails,
  Revocation,
  Extension,
  Reminded,
  InboxEntry: QueuedEntry,
  InboxPage,
  InboxFile: EntryFile,
  InboxEntryDetails: InboxEntryWithFiles,
  ClaimInput,
  ClaimedEntry,
  ClaimedEntries: Claimed,
  RenewInput,
  AckInput,
  NackInput,
  EventType,
  ...Object.fromEntries(Event.anyOf.map((event) => [`${nameOf([event.properties.type.const])}Event`, event])),
  Event,
  EventList,
  Webhook: WebhookView,
  WebhookList,
  NewWebhook,
  WebhookChanges,
  WebhookWithSecret,
  SecretReplacement,
  SentTestEvent,
  Replay,
  WebhookAttempt,
  WebhookAttemptPage: WebhookAttempts,
  Fault,
};

/** Of all operations together; each of them says which of the codes it can answer. */
export function problemSchemas(codes: readonly ErrorCode[]) {
  return { ErrorCode: Type.Enum([...codes]), Problem: Problem(codes) };
}

/** A problem that has one of these codes. */
export function problemWith(codes: readonly ErrorCode[]) {
  return {
    allOf: [{ $ref: '#/components/schemas/Problem' }, { required: ['code'], properties: { code: { enum: codes } } }],
  };
}

/** `drop.file_delivered` → "DropFileDelivered"; several are joined with "Or". */
export function nameOf(words: readonly string[]): string {
  return words
    .map((word) => word.replace(/(?:^|[._])([a-z])/g, (_, letter: string) => letter.toUpperCase()))
    .join('Or');
}

type Components = Readonly<Record<string, Readonly<Record<string, object>>>>;

/**
 * The description with a reference wherever it has what a component describes. Equal means equal as JSON: schemas are
 * copied where they are optional, so they cannot be told by their identity.
 */
export function withReferences<Described extends object>(described: Described, components: Components): Described {
  const places = new Map<string, string>();
  for (const [kind, members] of Object.entries(components)) {
    for (const [name, member] of Object.entries(members)) {
      const [text, place] = [JSON.stringify(member), `#/components/${kind}/${name}`];
      if (places.has(text)) throw new Error(`${place} is the same as ${places.get(text)}`);
      places.set(text, place);
    }
  }
  const insideOf = <Value>(value: Value): Value =>
    Array.isArray(value)
      ? (value.map(referred) as Value)
      : (Object.fromEntries(Object.entries(value as object).map(([key, inner]) => [key, referred(inner)])) as Value);
  const referred = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    const place = places.get(JSON.stringify(value));
    return place === undefined ? insideOf(value) : { $ref: place };
  };
  const inside = Object.entries(components).map(([kind, members]) => [
    kind,
    Object.fromEntries(Object.entries(members).map(([name, member]) => [name, insideOf(member)])),
  ]);
  return { ...insideOf(described), components: Object.fromEntries(inside) };
}
