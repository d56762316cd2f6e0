import type { Link } from '../../../domain/links/link-store.ts';
import { toReference } from '../../../domain/reference.ts';

/** The errors of every operation about a link. */
export const endings = ['link_ended', 'link_revoked'] as const;

/** The properties of every link, whatever its kind. */
export function describeLink({ dropId, senderName, sender, title, message, createdAt, expiresAt }: Link) {
  return {
    reference: toReference(dropId),
    sender: { name: senderName, email: sender },
    title,
    message,
    created_at: createdAt,
    expires_at: expiresAt,
  };
}
