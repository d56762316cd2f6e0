import { createHmac } from 'node:crypto';
import type { AppContext, Member } from '../shared/app-route.ts';

/** Names the drafts of a person in an account: the same whenever they come, and of no use to anyone else. */
export function toDraftKey({ engines, person, actor }: AppContext & Member): string {
  return createHmac('sha256', engines.pepper)
    .update(`composer ${person.id} ${actor.accountId}`)
    .digest('base64url')
    .slice(0, 22);
}
