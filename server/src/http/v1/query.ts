import type { TSchema } from 'typebox';
import { requireStorableTexts } from '../storable-texts.ts';

/**
 * Converts texts in the query to numbers and booleans where the schema has them. Other texts stay as they are, and the
 * schema refuses them. A text that the database cannot compare with anything is refused here.
 */
export function convertQuery(schema: TSchema, query: unknown): Record<string, unknown> {
  const { properties = {} } = schema as { properties?: Readonly<Record<string, { readonly type?: string }>> };
  requireStorableTexts(query);
  const entries = Object.entries(query as Record<string, unknown>);
  return Object.fromEntries(entries.map(([name, value]) => [name, convertValue(properties[name]?.type, value)]));
}

function convertValue(type: string | undefined, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (type === 'integer' && /^-?[0-9]{1,15}$/.test(value)) return Number(value);
  if (type === 'boolean' && /^(?:true|false)$/.test(value)) return value === 'true';
  return value;
}
