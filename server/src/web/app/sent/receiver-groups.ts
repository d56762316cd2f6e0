import { isUnreached, type ReceiverTimes } from '../components/progress.ts';

/** In the order of a page: those who need the sender first. */
export const receiverGroups = ['trouble', 'waiting', 'opened', 'complete', 'revoked'] as const;

export type ReceiverGroup = (typeof receiverGroups)[number];

/** The part of many receivers that a URL asks for. */
export interface ReceiverPlace {
  /** The group that is open, and of which a page shows more. */
  readonly group?: ReceiverGroup | undefined;
  /** The position of the receiver before the page; undefined: from the first. */
  readonly after?: number | undefined;
}

export function isReceiverGroup(name: string): name is ReceiverGroup {
  return (receiverGroups as readonly string[]).includes(name);
}

export function findGroup(receiver: ReceiverTimes): ReceiverGroup {
  if (receiver.completedAt) return 'complete';
  if (receiver.revokedAt) return 'revoked';
  if (isUnreached(receiver)) return 'trouble';
  return receiver.openedAt ? 'opened' : 'waiting';
}

/** The groups that somebody is in; those who did something last come first, and otherwise the order stays. */
export function groupReceivers<R extends ReceiverTimes>(receivers: readonly R[]): [ReceiverGroup, R[]][] {
  const groups = Map.groupBy(receivers, findGroup);
  return receiverGroups.flatMap((name): [ReceiverGroup, R[]][] => {
    const group = groups.get(name);
    return group ? [[name, group.toSorted((one, other) => lastTime(other) - lastTime(one))]] : [];
  });
}

function lastTime({ completedAt, openedAt }: ReceiverTimes): number {
  return (completedAt ?? openedAt)?.getTime() ?? 0;
}
