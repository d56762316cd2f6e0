export interface Random {
  bytes(length: number): Buffer;
  uuid(): string;
}
