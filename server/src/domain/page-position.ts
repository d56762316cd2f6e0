export interface PagePosition {
  readonly createdAt: string;
  readonly id: string;
}
