import type { FastifyRequest } from 'fastify';
import { ExchangeError } from '../../domain/exchange-error.ts';

/**
 * RFC 9110, 13.1.1: the versions that If-Match allows, or undefined if any version is allowed. Weak tags never match.
 */
export function versionsInIfMatch({ headers }: Pick<FastifyRequest, 'headers'>): readonly string[] | undefined {
  const header = headers['if-match'];
  if (header === undefined || header.trim() === '*') return undefined;
  const tags = [...header.matchAll(/(W\/)?"([^"]*)"/g)];
  return tags.filter(([, weak]) => !weak).map(([, , version]) => version as string);
}

/**
 * Whether a change is only for something that is there (If-Match) or that is not (`If-None-Match: *`, RFC 9110,
 * 13.1.2); undefined: for both.
 */
export function existenceInConditions({
  method,
  headers,
}: Pick<FastifyRequest, 'method' | 'headers'>): boolean | undefined {
  const noneMatch = headers['if-none-match']?.trim();
  if (noneMatch === '*') return false;
  if (noneMatch !== undefined && method === 'PUT') {
    throw new ExchangeError('invalid_input', 'If-None-Match must be *; to change a certain version, send If-Match.');
  }
  return headers['if-match'] === undefined ? undefined : true;
}
