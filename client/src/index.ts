/** The only entry point of the package. Files inside the package import each other directly. */
export type { CallOptions, PostOptions } from './call-options.ts';
export {
  type ErrorDetails,
  isWaybillError,
  type LocalErrorCode,
  WaybillError,
  type WaybillErrorCode,
} from './errors.ts';
export { safeLocalName, safeLocalNames, safeLocalPaths } from './generated/safe-name.ts';
export type * from './generated/wire.ts';
export type { Retry, RetryPolicy } from './http/retry-policy.ts';
export type { DownloadLink } from './link/download-link.ts';
export type { CodeQuestion, LinkOptions, SessionStore } from './link/link-options.ts';
export { openLink } from './link/open-link.ts';
export type { GiveOptions, GiveResult, UploadLink } from './link/upload-link.ts';
export type { ContactChanges, ContactFilter, Contacts } from './resources/contacts.ts';
export type { SharedLinkOptions } from './resources/delivery-options.ts';
export type { Drops } from './resources/drops.ts';
export type { EventFilter, EventOptions, Events, FollowOptions, StreamOptions } from './resources/events.ts';
export type { ClaimOptions, Inbox, InboxFilter, LeasedEntry, NackOptions, RenewOptions } from './resources/inbox.ts';
export type { Keys, RevokeKeyOptions } from './resources/keys.ts';
export type { ReceiptFilter, Receipts } from './resources/receipts.ts';
export type { RequestOptions, Requests } from './resources/requests.ts';
export type { SentFilter } from './resources/sent-collection.ts';
export type { TestMessageFilter, TestMessages, TestMessageWait } from './resources/test-messages.ts';
export type { Completion, CompletionOptions } from './resources/wait-for-completion.ts';
export type { ReplaceSecretOptions, Webhooks } from './resources/webhooks.ts';
export type { Runtime } from './runtime.ts';
export type { Download, DownloadOptions, DownloadProgress, FileToDownload } from './transfer/download.ts';
export type { DownloadedFile, DownloadToFileOptions } from './transfer/download-to-file.ts';
export type { ReceiptOptions } from './transfer/receipt-to-file.ts';
export type { CheckedSend, SendOptions, SendResult, SentFile, UploadStore } from './transfer/send.ts';
export type { Bytes, FileToSend } from './transfer/sources.ts';
export type { UploadFilter, UploadOptions, UploadProgress, Uploads } from './transfer/uploads.ts';
export {
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookEvent,
  type WebhookRequest,
  WebhookVerificationError,
} from './verify-webhook.ts';
export { Waybill, type WaybillOptions } from './waybill.ts';
export type { WorkEntry } from './work/work-entry.ts';
export type { ClaimStore, InboxClaim, Verdict, WorkHandler, WorkOptions, WorkProblem } from './work/work-options.ts';
