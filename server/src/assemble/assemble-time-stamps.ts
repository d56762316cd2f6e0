import type { Config } from '../config/config.ts';
import type { Random } from '../domain/ports/random.ts';
import type { TimeStampAuthority } from '../domain/ports/time-stamp-authority.ts';
import { timeStampAuthority } from '../engines/outgoing/time-stamp-authority.ts';

/** The settings that name the authority that stamps the evidence log. */
export const timeStampSettings = [
  'WAYBILL_TIMESTAMP_URL',
  'WAYBILL_TIMESTAMP_CA_FILE',
  'WAYBILL_TIMESTAMP_AUTHORIZATION',
  'WAYBILL_TIMESTAMP_SECONDS',
] as const;
export type TimeStampConfig = Pick<Config, (typeof timeStampSettings)[number]>;

export function openTimeStampAuthority(
  config: TimeStampConfig,
  random: Pick<Random, 'bytes'>,
): TimeStampAuthority | undefined {
  if (config.WAYBILL_TIMESTAMP_URL === '') return undefined;
  return timeStampAuthority({
    url: config.WAYBILL_TIMESTAMP_URL,
    authorization: config.WAYBILL_TIMESTAMP_AUTHORIZATION,
    authorities: config.WAYBILL_TIMESTAMP_CA_FILE,
    everySeconds: config.WAYBILL_TIMESTAMP_SECONDS,
    random,
  });
}
