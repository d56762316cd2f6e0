import type { OwnExchange } from '../lib/servers/own-exchange.ts';
import { eventually } from '../lib/wait.ts';

/** Waits until there are no such rows, for example because every mail has been sent. */
export async function noneLeft({ query }: OwnExchange, rows: string): Promise<void> {
  await eventually(
    `no ${rows}`,
    async () => ((await query(`select from ${rows} limit 1`)).length === 0 ? true : undefined),
    { withinMs: 600_000 },
  );
}
