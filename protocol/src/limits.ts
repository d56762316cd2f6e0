/** Bounds of everything a caller can send. Where the spec gives none, they are ours. */
export const limits = {
  csrfTokensPerAccount: 60,
  contactsPerAccount: 10_000,
  receiversPerDispatch: 1_000,
  filesPerDraft: 1_000,
  filesPerUpload: 100,
  emailLength: 254,
  nickLength: 200,
  groupsPerContact: 50,
  groupLength: 100,
  languageLength: 35,
  messageLength: 20_000,
  fileNameBytes: 255,
  /** Large enough for a full contact list; every other JSON body has to fit in jsonBytes. */
  contactListBytes: 8 * 1024 * 1024,
  jsonBytes: 1024 * 1024,
  jsonDepth: 16,
  idempotencyKeyLength: 255,
} as const;
