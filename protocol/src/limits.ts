/**
 * Bounds of everything a caller can send. Apart from the number of CSRF tokens, they are our own and not part of the
 * original contract.
 */
export const limits = {
  csrfTokensPerAccount: 60,
  contactsPerAccount: 10_000,
  contactsPerImport: 1_000,
  receiversPerDispatch: 1_000,
  filesPerDraft: 1_000,
  filesPerUpload: 100,
  emailLength: 254,
  nameLength: 200,
  /** For the title of a drop or a request. */
  titleLength: 200,
  wantedFilesPerRequest: 50,
  groupsPerContact: 50,
  groupLength: 100,
  languageLength: 35,
  messageLength: 20_000,
  passphraseLength: 1_000,
  fileNameBytes: 255,
  /** For a file's path within the folder that was sent: its folders and its name. */
  filePathBytes: 1024,
  filePathDepth: 32,
  /** Large enough for a full contact list; every other JSON body must fit in jsonBytes. */
  contactListBytes: 8 * 1024 * 1024,
  jsonBytes: 1024 * 1024,
  jsonDepth: 16,
  idempotencyKeyLength: 255,
  keyNameLength: 100,
  networksPerKey: 50,
  entriesPerClaim: 100,
  filesPerClaim: 1_000,
  minLeaseSeconds: 10,
  maxLeaseSeconds: 3_600,
  nackDelaySeconds: 86_400,
  minNackBackOffSeconds: 30,
  maxNackBackOffSeconds: 3_600,
  pageSize: 100,
  countedReplays: 100_000,
  /** Responses to requests with an Idempotency-Key, of one account: how many are kept, and how large they are together. */
  keptResponses: 100_000,
  keptResponseBytes: 256 * 1024 ** 2,
  cursorLength: 1024,
  externalIdLength: 200,
  metadataEntries: 50,
  metadataNameLength: 40,
  metadataValueLength: 500,
  /** A larger file is sent in parts. */
  wholeUploadBytes: 64 * 1024 * 1024,
  eventWaitSeconds: 30,
  webhooksPerAccount: 20,
  webhookUrlLength: 2_048,
  webhookDescriptionLength: 200,
  typesPerWebhook: 50,
} as const;
