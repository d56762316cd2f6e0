import type { AppRequest, Member } from './app-route.ts';
import type { ListProps } from './list-props.ts';

const maxQueryLength = 300;

/** One value of the query; empty if there is none, or if it is too long for any of ours. */
export function readQueryValue({ request }: AppRequest, name: string): string {
  const value = (request.query as Record<string, unknown>)[name];
  return typeof value === 'string' && value.length <= maxQueryLength ? value.trim() : '';
}

/** The query of the URL, of which every route takes the first of several fields of the same name. */
export function readQueryFields({ request }: AppRequest): URLSearchParams {
  const fields = Object.entries(request.query as Record<string, string | string[]>);
  return new URLSearchParams(fields.map(([name, value]) => [name, [value].flat()[0] ?? '']));
}

export function toListProps({ base, csrf, canChange }: AppRequest & Member): ListProps {
  return { base, csrf, canChange, now: new Date() };
}
