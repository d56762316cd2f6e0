import { readPolicy } from '../accounts/read-policy.ts';
import type { Actor } from '../actor.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError, Faults } from '../exchange-error.ts';
import { effectiveSecondFactor, type SecondFactorChoices } from '../links/second-factor.ts';
import { isForbidden, type SharedLinkKind } from '../links/shared-link-rule.ts';
import type { SharedLink } from '../links/shared-link-store.ts';
import type { AccountPolicy } from '../policy.ts';
import { findSentDrop } from './find-sent-drops.ts';
import { type SharedLinkInput, toSeconds, writeSharedLink } from './write-shared-link.ts';
import { lockLive } from './write-to-receivers.ts';

type Needs = Pick<Engines, 'store' | 'dayKeys' | 'random' | 'policy'>;

/** A shared link, and whether it can be used now. */
export interface ShownSharedLink extends SharedLink {
  readonly state: 'live' | 'expired' | 'revoked' | 'used_up' | 'forbidden';
}

export interface MadeSharedLink {
  readonly link: ShownSharedLink;
  readonly token: string;
}

/** The kinds of which a link of a drop can be made now. */
export async function listSharedLinkChoices(
  engines: Pick<Engines, 'store' | 'policy'>,
  accountId: string,
  drop: SecondFactorChoices & { readonly state: string; readonly receiverCount: number },
  links: readonly ShownSharedLink[],
): Promise<SharedLinkKind[]> {
  if (drop.state !== 'live') return [];
  const policy = await readPolicy(engines, accountId);
  const rules = { ...drop, secondFactorRule: policy.secondFactor, sharedLinksRule: null, isLimitedToDomains: false };
  return (['named', 'anybody'] as const).filter(
    (kind) =>
      !isForbidden({ policy }, { ...rules, kind }) &&
      (kind === 'anybody' || drop.receiverCount > 0) &&
      !links.some((link) => link.kind === kind && isInForce(link)),
  );
}

const isInForce = ({ state }: ShownSharedLink) => state === 'live' || state === 'forbidden';

export async function listSharedLinks(
  engines: Pick<Engines, 'store' | 'policy'>,
  accountId: string,
  dropId: string,
): Promise<ShownSharedLink[]> {
  const links = await engines.store.sharedLinks.list(accountId, dropId);
  return links.map((link) => ({ ...link, state: findState(engines, link) }));
}

function findState(engines: Pick<Engines, 'policy'>, link: SharedLink): ShownSharedLink['state'] {
  if (link.revokedAt) return 'revoked';
  if (link.ended) return 'expired';
  if (link.maxDownloads !== null && link.downloads >= link.maxDownloads) return 'used_up';
  return isForbidden(engines, link) ? 'forbidden' : 'live';
}

/** Records what is wrong with a link that is to be shared. */
export function checkSharedLink(
  faults: Faults,
  policy: AccountPolicy,
  { kind, expiresIn, expiresAt, maxDownloads }: SharedLinkInput,
  drop: SecondFactorChoices & {
    readonly receiverCount: number;
    readonly fileCount: number;
    readonly secondsLeft: number;
  },
): void {
  const rules = { ...drop, kind, sharedLinksRule: null, isLimitedToDomains: false };
  if (isForbidden({ policy }, rules))
    faults.add(
      { field: 'sharedLink' },
      'recipient_not_allowed',
      `The rules of this account do not allow this link: it may make links ${describeAllowed(policy, drop)}. Choose one of those, or send to receivers by name.`,
    );
  if (kind === 'named' && drop.receiverCount === 0)
    faults.add(
      { field: 'sharedLink' },
      'invalid_input',
      'A link for the people named needs receivers. Name them, or make a link for anybody.',
    );
  if (maxDownloads !== null && kind === 'named')
    faults.add(
      { field: 'sharedLink' },
      'invalid_input',
      'A link for the people named has no maximum of downloads. Leave it out.',
    );
  if (maxDownloads !== null && drop.fileCount === 0)
    faults.add(
      { field: 'sharedLink' },
      'invalid_input',
      'Without files there is nothing to count. Leave the maximum of downloads out.',
    );
  if (expiresIn !== undefined && expiresAt !== undefined)
    faults.add({ field: 'sharedLink' }, 'invalid_input', 'Send expires_in or expires_at of the link, and not both.');
  const seconds = toSeconds({ expiresIn, expiresAt });
  if (seconds !== undefined && seconds <= 0)
    faults.add({ field: 'sharedLink' }, 'invalid_input', 'Choose an end of the link that has not passed.');
  if (seconds !== undefined && seconds > drop.secondsLeft + 1)
    faults.add(
      { field: 'sharedLink' },
      'invalid_input',
      'A link cannot end later than its drop. Choose an earlier end, or leave it out.',
    );
}

/** Describes the links that the rules allow. Nobody can be sent a code, or has an address, who only has a link for anybody. */
function describeAllowed(policy: AccountPolicy, drop: SecondFactorChoices): string {
  if (policy.sharedLinks === 'never') return 'for single receivers only';
  const isNamedOnly =
    policy.sharedLinks === 'named' || policy.receiverDomains || effectiveSecondFactor({ policy }, drop) !== 'off';
  return isNamedOnly ? 'for the people named only' : 'for anybody, too';
}

/**
 * Unwraps the key of the links, which may be slow. What is returned makes the link, in one transaction or as part of the
 * caller's. A drop has one of each kind at a time.
 */
export async function prepareSharedLink(
  engines: Needs,
  actor: Actor,
  dropId: string,
  input: SharedLinkInput,
): Promise<(within: Pick<Engines, 'store'>, ifVersion: readonly string[] | undefined) => Promise<MadeSharedLink>> {
  const { accountId } = actor;
  const sent = { type: 'downloadfiles', dropId } as const;
  const drop = await findSentDrop(engines, actor, sent);
  const policy = await readPolicy(engines, accountId);
  const faults = new Faults();
  const secondsLeft = (drop.expiresAt.getTime() - Date.now()) / 1000;
  checkSharedLink(faults, policy, input, { ...drop, secondFactorRule: policy.secondFactor, secondsLeft });
  faults.throwIfAny();
  const key = await engines.store.links.key({ accountId, dropId });
  const linkKey = key && (await engines.dayKeys.unwrap(key.wrapped, key.day, dropId));
  return async ({ store }, ifVersion) => {
    const { position, token } = await store.transaction(async (tx) => {
      await lockLive(tx, actor, sent, ifVersion);
      if (!linkKey) throw new ExchangeError('link_ended', 'The deadline has passed. Send a new one instead.');
      const links = await listSharedLinks({ ...engines, store: tx }, accountId, dropId);
      if (links.some((link) => link.kind === input.kind && isInForce(link)))
        throw new ExchangeError(
          'invalid_input',
          'There is a link of this kind already. Use it, or revoke it before you make another one.',
        );
      return writeSharedLink(engines, tx, actor, dropId, linkKey, input);
    });
    const made = await listSharedLinks({ ...engines, store }, accountId, dropId);
    return { token, link: made.find((link) => link.position === position) as ShownSharedLink };
  };
}
