/** Files in the order of their keys. */
export interface FilePosition {
  readonly accountId: string;
  readonly id: string;
}
