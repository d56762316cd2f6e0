import type { Engines } from '../engines.ts';
import type { SharedLinks } from '../policy.ts';
import { effectiveSecondFactor, type SecondFactorChoices } from './second-factor.ts';

/** The kind of a link: a receiver's own, one for all receivers, or one for anybody who has it. */
export type LinkKind = 'receiver' | 'named' | 'anybody';
export type SharedLinkKind = Exclude<LinkKind, 'receiver'>;

/** From which follows whether a link may be used now. */
export interface LinkRules extends SecondFactorChoices {
  readonly kind: LinkKind;
  /** The strictest rule of the account and its group, as it is now; null: the server's setting applies. */
  readonly sharedLinksRule: SharedLinks | null;
  /** Whether the account or its group may send to certain domains only. */
  readonly isLimitedToDomains: boolean;
}

const reach: Readonly<Record<SharedLinks, number>> = { never: 0, named: 1, anybody: 2 };

export function chooseStrictest(one: SharedLinks, other: SharedLinks | null): SharedLinks {
  return other !== null && reach[other] < reach[one] ? other : one;
}

/**
 * Whether the rules, as they are now, forbid a shared link: also one that was made before they became stricter. Nobody with
 * a link for anybody can prove who they are, so it is not for accounts that require a code, or that may send to certain
 * domains only.
 */
export function isForbidden(engines: Pick<Engines, 'policy'>, link: LinkRules): boolean {
  if (link.kind === 'receiver') return false;
  const rule = chooseStrictest(engines.policy.sharedLinks, link.sharedLinksRule);
  if (reach[link.kind] > reach[rule]) return true;
  if (link.kind === 'named') return false;
  return (
    effectiveSecondFactor(engines, link) !== 'off' || link.isLimitedToDomains || engines.policy.receiverDomains !== null
  );
}
