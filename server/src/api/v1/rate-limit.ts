import type { LimitState } from '../../domain/ports/limits.ts';

/** Formats the limits that apply, and what is left of each (draft-ietf-httpapi-ratelimit-headers). */
export function rateLimitHeaders(limits: readonly LimitState[]): Record<string, string> {
  if (limits.length === 0) return {};
  const policies = limits.map(({ name, quota, windowSeconds }) => `"${name}";q=${quota};w=${windowSeconds}`);
  const states = limits.map(({ name, remaining, resetSeconds }) => `"${name}";r=${remaining};t=${resetSeconds}`);
  return { 'ratelimit-policy': policies.join(', '), ratelimit: states.join(', ') };
}
