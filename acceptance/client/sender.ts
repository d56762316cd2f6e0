/**
 * A process that shares its account with others: it sends as often as it is told, each time different files to
 * different receivers. Its instructions come as JSON on the command line.
 */
import { Waybill } from '../../client/src/index.ts';

export interface Orders {
  baseUrl: string;
  user: string;
  apiKey: string;
  sends: { message: string; files: { name: string; content: string }[]; to: string[] }[];
}

if (import.meta.main) {
  const { baseUrl, user, apiKey, sends } = JSON.parse(process.argv[2] ?? '') as Orders;
  const client = new Waybill({ baseUrl, user, apiKey });
  for (const send of sends) await client.send(send);
  client.close();
}
