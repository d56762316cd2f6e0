import { expect } from 'vitest';
import type { Client } from './http/client.ts';
import type { DispatchParameters } from './http/shapes.ts';
import { V1Client } from './http/v1-client.ts';
import { deliver } from './scenario.ts';
import type { OwnExchange } from './servers/own-exchange.ts';
import { eventually } from './wait.ts';

const content = Buffer.from('what is sent after the restore');

/** Uploads, sends, downloads and proves, as people do when they are told that the restore is done. A worker has to run. */
export async function useForADay(
  exchange: OwnExchange,
  { sender, receiver }: Readonly<Record<'sender' | 'receiver', Client>>,
  parameters: DispatchParameters = {},
): Promise<void> {
  const api = new V1Client(sender.account, sender.baseUrl);
  const listDrops = async () => (await api.read<{ data: { id: string }[] }>('GET', '/drops')).data.map(({ id }) => id);
  const before = await listDrops();
  const { url } = await deliver(sender, receiver, [{ name: 'new.txt', content }], parameters);
  expect((await receiver.download(url, 'new.txt')).body).toEqual(content);
  const drops = await listDrops();
  expect(drops.filter((id) => !before.includes(id))).toHaveLength(1);
  for (const id of drops) {
    await eventually('the receipt', async () => {
      const response = await api.ask('GET', `/drops/${id}/receivers/0/receipt.json`);
      await response.arrayBuffer();
      return response.ok || undefined;
    });
  }
  expect((await exchange.admin('doctor', 'keys', 'log')).exitCode).toBe(0);
}
