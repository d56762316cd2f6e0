import type { ListProps } from '../../views/pages/app/list-props.ts';
import type { MemberVisit } from './app-route.ts';

const maxQueryLength = 300;

/** One value of the query; empty if there is none, or if it is too long for any of ours. */
export function readQuery({ request }: Pick<MemberVisit, 'request'>, name: string): string {
  const value = (request.query as Record<string, unknown>)[name];
  return typeof value === 'string' && value.length <= maxQueryLength ? value.trim() : '';
}

export function toListProps({ base, csrf, canChange }: MemberVisit): ListProps {
  return { base, csrf, canChange, now: new Date() };
}
