import type { FastifyRequest } from 'fastify';

/**
 * RFC 9110, 13.1.1: the versions that If-Match allows, or undefined if any version is allowed. Weak tags never match.
 */
export function versionsInIfMatch({ headers }: Pick<FastifyRequest, 'headers'>): readonly string[] | undefined {
  const header = headers['if-match'];
  if (header === undefined || header.trim() === '*') return undefined;
  const tags = [...header.matchAll(/(W\/)?"([^"]*)"/g)];
  return tags.filter(([, weak]) => !weak).map(([, , version]) => version as string);
}
