import { type Static, Type } from 'typebox';

/** What a key may do on /api/v1. */
export const scopes = ['send', 'receive', 'contacts', 'history', 'webhooks', 'keys'] as const;
export const Scope = Type.Enum([...scopes]);
export type Scope = Static<typeof Scope>;
