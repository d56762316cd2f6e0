import { CreatedSharedLink, NewSharedLink, SharedLink, SharedLinkList } from '@waybill/protocol/v1';
import { Type } from 'typebox';
import type { MadeDispatch } from '../../../domain/drops/check-dispatch.ts';
import { findReadableDrop } from '../../../domain/drops/find-sent-drops.ts';
import { revokeSentDrop } from '../../../domain/drops/revoke-drop.ts';
import { listSharedLinks, prepareSharedLink, type ShownSharedLink } from '../../../domain/drops/shared-links.ts';
import { type SharedLinkInput } from '../../../domain/drops/write-shared-link.ts';
import { ExchangeError } from '../../../domain/exchange-error.ts';
import { type CallEngines, type KeyRoute, route } from '../route.ts';

const params = Type.Object({ id: Type.String({ format: 'uuid', description: 'The `id` of a drop.' }) });
const linkParams = Type.Object({
  ...params.properties,
  link_id: Type.String({ pattern: '^1[0-9]{6}$', description: 'The `id` of a shared link.' }),
});
const path = '/drops/:id/shared-links';
const ended = ['not_found', 'link_ended', 'link_revoked'] as const;

const list = route({
  method: 'GET',
  path,
  id: 'listSharedLinks',
  summary: 'List the shared links of a drop, and how often each was downloaded',
  scope: 'history',
  ownScope: 'send',
  params,
  response: { status: 200, description: 'The links, without their secrets.', schema: SharedLinkList },
  errors: ['not_found'],
  async handle({ engines, caller, params: { id: dropId } }) {
    const { id } = await findReadableDrop(engines, caller, { type: 'downloadfiles', dropId });
    const links = await listSharedLinks(engines, caller.accountId, id);
    return { body: { shared_links: links.map(toSharedLink) } };
  },
});

const create = route({
  method: 'POST',
  path,
  id: 'createSharedLink',
  summary: 'Make a link of a drop to share: for all receivers, or for anybody who has it',
  scope: 'send',
  params,
  body: NewSharedLink,
  response: { status: 201, description: 'The link.', schema: CreatedSharedLink },
  errors: [...ended, 'recipient_not_allowed'],
  isVersioned: true,
  prepare: ({ engines, caller, params: { id }, body }) =>
    prepareSharedLink(engines, caller, id, toSharedLinkInput(body)),
  async handle({ engines, ifVersion, prepared: make }) {
    const { link, token } = await make(engines, ifVersion);
    return { body: { ...toSharedLink(link), link: `${engines.policy.publicUrl}/d/${token}` } };
  },
});

const revoke = route({
  method: 'POST',
  path: `${path}/:link_id/revoke`,
  id: 'revokeSharedLink',
  summary: 'End a shared link at once; receivers keep theirs',
  scope: 'send',
  params: linkParams,
  response: { status: 200, description: 'The link.', schema: SharedLink },
  errors: ended,
  isVersioned: true,
  async handle({ engines, caller, params: { id: dropId, link_id: linkId }, ifVersion }) {
    const position = Number(linkId);
    await revokeSentDrop(engines, caller, { type: 'downloadfiles', dropId }, { position, ifVersion });
    const links = await listSharedLinks(engines, caller.accountId, dropId);
    const link = links.find((each) => each.position === position);
    if (!link) throw new ExchangeError('not_found');
    return { body: toSharedLink(link) };
  },
});

export const sharedLinkRoutes: readonly KeyRoute[] = [list, create, revoke];

/** The link of a drop that was just made, with its secret. */
export async function showNewLink(
  engines: Pick<CallEngines, 'store' | 'policy'>,
  accountId: string,
  dropId: string,
  { position, token }: NonNullable<MadeDispatch['sharedLink']>,
): Promise<object> {
  const links = await listSharedLinks(engines, accountId, dropId);
  const link = links.find((each) => each.position === position) as ShownSharedLink;
  return { ...toSharedLink(link), link: `${engines.policy.publicUrl}/d/${token}` };
}

export function toSharedLinkInput(body: NewSharedLink): SharedLinkInput {
  return {
    kind: body.kind,
    maxDownloads: body.max_downloads ?? null,
    expiresIn: body.expires_in,
    expiresAt: body.expires_at === undefined ? undefined : new Date(body.expires_at),
  };
}

export function toSharedLink(link: ShownSharedLink) {
  return {
    id: link.position,
    kind: link.kind,
    state: link.state,
    created_at: link.createdAt,
    created_by: link.createdBy,
    expires_at: link.expiresAt,
    revoked_at: link.revokedAt,
    visits: link.visits,
    opened_at: link.openedAt,
    max_downloads: link.maxDownloads,
    downloads: link.downloads,
    last_download_at: link.lastDownloadAt,
  };
}
