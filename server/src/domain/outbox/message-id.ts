import type { Policy } from '../policy.ts';

/** In the domain that the mail comes from, because any other would look forged. */
export function toMessageId({ mailFrom }: Pick<Policy, 'mailFrom'>, id: string): string {
  return `<${id}@${mailFrom.split('@').at(-1)}>`;
}
