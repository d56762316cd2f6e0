/**
 * Writes docs/sdk.md from the types that client/src/index.ts exports and their doc comments. With --check it writes
 * nothing, and exits with 1 if the document is out of date.
 */
import { fileURLToPath } from 'node:url';
import { writeOrCheck } from './generated-document.ts';
import { SdkReference } from './sdk-reference.ts';

const entry = fileURLToPath(new URL('../client/src/index.ts', import.meta.url));

const introduction = `# The SDK

<!-- Written by tools/generate-sdk-docs.ts from the types in client/src. Do not edit. -->

\`@waybill/client\` is a package for Node (22.13 or newer). \`import\` and \`require\` both work, and the types need no other package, not
even \`@types/node\`. [client.md](client.md#quick-start) says how to install it, and [what it promises](client.md#what-it-promises).

\`\`\`ts
import { Waybill } from '@waybill/client';

const waybill = new Waybill({ baseUrl: 'https://files.example.org', user: 'orders@example.org', apiKey: process.env.KEY! });
await waybill.send({ files: ['report.pdf'], to: ['anna@example.com'], message: 'The report.', days: 7 });
\`\`\`

- One client can be shared by any number of concurrent calls, whose requests share connections.
- Lists are asynchronous iterators that request page after page: \`for await (const drop of waybill.drops.list())\`.
- What the server answers has the names of [/api/v1](api-v1.md), with \`_\`; options of the SDK are in camel case. Times are texts such as
  \`2030-01-31T12:00:00Z\`.
- Calls retry by themselves what may be repeated. What fails nevertheless throws a [\`WaybillError\`](#waybillerror) with one of the codes
  of [the server](api.md#errors) or of [the client](#localerrorcode).
`;

/** What a reader looks for together, the most important first. Every export is in one group. */
const groups: Record<string, string> = {
  Client: 'Waybill WaybillOptions CallOptions PostOptions Account Patience Surroundings',
  'Sending files': 'SendOptions FileToSend Bytes Sent SentFile UploadProgress UploadMemory',
  'What was sent': `Drops SentFilter Drop DropDetails DropReceiver DropFile NewDrop NewReceiver CreatedDrop AddedReceiver
    CheckedDrop RevokeOptions Extension ReminderResult ListDropsQuery`,
  'Requests for files': `Requests RequestOptions FileRequest FileRequestDetails FileRequestReceiver NewFileRequest
    CreatedFileRequest CheckedFileRequest`,
  'What was uploaded': 'Uploads UploadOptions Upload',
  'The inbox': `Inbox InboxFilter InboxEntry InboxEntryDetails InboxFile ClaimOptions ClaimedEntry Leased RenewOptions
    NackOptions`,
  Downloads: 'FileToDownload DownloadOptions DownloadProgress Download DownloadToFileOptions DownloadedFile',
  'Names of files': 'safeLocalName safeLocalNames safeLocalPaths',
  'The account’s contacts': `Contacts ContactFilter Contact ContactDetails ImportedContact ContactChanges
    ContactImportResult ListContactsQuery`,
  'What happened': 'Events FollowOptions EventOptions EventPage AccountEvent EventType',
  'Sending events to webhooks': `Webhooks Webhook NewWebhook WebhookChanges WebhookWithSecret ReplaceSecretOptions
    WebhookAttempt Replay SentTestEvent`,
  'Receiving events': 'verifyWebhook WebhookRequest VerifyWebhookOptions WebhookEvent WebhookVerificationError',
  'API keys': 'Keys Scope ApiKey NewApiKey CreatedApiKey RevokedApiKeys RevokeKeyOptions',
  Failures: 'WaybillError isWaybillError WaybillErrorCode LocalErrorCode ErrorCode Fault ErrorDetails',
  'Each event': `ContactChangedEvent ContactRemovedEvent DropCompletedEvent DropCreatedEvent DropExpiredEvent
    DropExtendedEvent DropFileDeliveredEvent DropNotifiedEvent DropOpenedEvent DropReceiverAddedEvent
    DropReceiverRevokedEvent DropRevokedEvent DropUndeliverableEvent InboxReceivedEvent
    RequestCreatedEvent RequestExpiredEvent RequestExtendedEvent RequestFulfilledEvent
    RequestNotifiedEvent RequestOpenedEvent RequestReceivedEvent RequestReceiverAddedEvent
    RequestReceiverRevokedEvent RequestRevokedEvent RequestUndeliverableEvent`,
  'Other types of the API': `AckInput ApiKeyPage ClaimInput ClaimedEntries ContactImport ContactPage CreateDropQuery
    CreateRequestQuery DropPage FileRequestPage ImportContactsQuery InboxEntryPage ListEventsQuery
    ListInboxQuery ListRequestsQuery ListWebhookAttemptsQuery NackInput Problem RenewInput Revocation
    RevokeApiKeyQuery SecretReplacement Time WebhookAttemptPage WebhookPage`,
};

export function sdkDocument(): string {
  return `${introduction}\n${new SdkReference(entry, groups, 'Waybill').markdown()}`;
}

if (import.meta.main) writeOrCheck('docs/sdk.md', sdkDocument(), 'node tools/generate-sdk-docs.ts');
