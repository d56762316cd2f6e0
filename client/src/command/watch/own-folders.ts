/** The folders that a watch creates in the one that it watches. */
export const [sendingFolder, sentFolder, failedFolder] = ['sending', 'sent', 'failed'] as const;
export const ownFolders: ReadonlySet<string> = new Set([sendingFolder, sentFolder, failedFolder]);
