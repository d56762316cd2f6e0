/** The package's only entry point; inside the package, files import each other directly. */
export type { CallOptions, PostOptions } from './call-options.ts';
export type { ContactChanges, ContactFilter, Contacts } from './contacts.ts';
export type { Download, DownloadOptions, DownloadProgress, FileToDownload } from './download.ts';
export type { DownloadedFile, DownloadToFileOptions } from './download-to-file.ts';
export type { Drops } from './drops.ts';
export {
  type ErrorDetails,
  isWaybillError,
  type LocalErrorCode,
  WaybillError,
  type WaybillErrorCode,
} from './errors.ts';
export type { EventOptions, Events, FollowOptions } from './events.ts';
export type { ClaimOptions, Inbox, InboxFilter, Leased, NackOptions, RenewOptions } from './inbox.ts';
export type { Keys, RevokeKeyOptions } from './keys.ts';
export type { Patience } from './patience.ts';
export type { RequestOptions, Requests } from './requests.ts';
export { safeLocalName, safeLocalNames, safeLocalPaths } from './safe-name.ts';
export type { SendOptions, Sent, SentFile, UploadMemory } from './send.ts';
export type { RevokeOptions, SentFilter } from './sent-collection.ts';
export type { Bytes, FileToSend } from './sources.ts';
export type { Surroundings } from './surroundings.ts';
export type { UploadOptions, UploadProgress, Uploads } from './uploads.ts';
export {
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookEvent,
  type WebhookRequest,
  WebhookVerificationError,
} from './verify-webhook.ts';
export { Waybill, type WaybillOptions } from './waybill.ts';
export type { ReplaceSecretOptions, Webhooks } from './webhooks.ts';
export type * from './wire.ts';
