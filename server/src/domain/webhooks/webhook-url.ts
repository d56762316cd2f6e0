import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';

export function requireUsableUrl({ webhookSender }: Pick<Engines, 'webhookSender'>, url: string): void {
  const detail = webhookSender.objection(url);
  if (detail === undefined) return;
  const faults = [{ pointer: '/url', detail, code: 'invalid_input' as const }];
  throw new ExchangeError('invalid_input', detail, { faults });
}
