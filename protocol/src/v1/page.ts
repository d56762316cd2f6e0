import { type Static, type TSchema, Type } from 'typebox';
import { limits } from '../limits.ts';

/** The parameters of every list, beside those of its filter. */
export const pageParameters = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: limits.pageSize,
      description: `How many entries to return; ${limits.pageSize} if not given.`,
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: limits.cursorLength,
      pattern: '^[A-Za-z0-9_-]+$',
      description: 'The `next_cursor` of the page before. It is valid only with the same filter.',
    }),
  ),
};
const PageQuery = Type.Object(pageParameters);
export type PageQuery = Static<typeof PageQuery>;

/** One page of a list. */
export function Page<Entry extends TSchema>(entry: Entry, description: string) {
  return Type.Object(
    {
      data: Type.Array(entry, { maxItems: limits.pageSize, description: 'The entries of this page.' }),
      next_cursor: Type.Union([Type.String(), Type.Null()], {
        description: 'The `cursor` of the next page; null on the last one.',
      }),
    },
    { description },
  );
}
