import type { FastifyRequest } from 'fastify';
import { ExchangeError } from '../../domain/exchange-error.ts';

/**
 * Reads the versions that If-Match allows (RFC 9110, 13.1.1), or undefined if any version is allowed. Weak tags never
 * match.
 */
export function parseIfMatch({ headers }: Pick<FastifyRequest, 'headers'>): readonly string[] | undefined {
  const header = headers['if-match'];
  if (header === undefined || header.trim() === '*') return undefined;
  const tags = [...header.matchAll(/(W\/)?"([^"]*)"/g)];
  return tags.filter(([, weak]) => !weak).map(([, , version]) => version as string);
}

/**
 * Whether the resource to change must exist (If-Match) or must not (`If-None-Match: *`, RFC 9110, 13.1.2); undefined if
 * either is allowed.
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
