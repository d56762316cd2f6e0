import type { JSX } from 'preact';
import { isolate } from '../../../present/texts/plain.ts';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import { Icon, type IconName } from '../../shared/components/icon.tsx';
import { BriefMoment } from '../../shared/components/moment.tsx';
import { Rows } from '../../shared/components/rows.tsx';
import { namePerson } from '../components/person.tsx';
import { isUnreached } from '../components/progress.ts';
import { RangePager, takePage } from '../components/range-pager.tsx';
import { toHref } from '../shared/list-props.ts';
import {
  comfortable,
  FoldedReceiver,
  OpenReceiver,
  type ReceiversProps,
  type SentItemReceiver,
} from './drop-receivers.tsx';
import { groupReceivers, type ReceiverGroup, type ReceiverPlace } from './receiver-groups.ts';

type ListProps = ReceiversProps & { readonly among?: ReceiverPlace | undefined };

/** As many receivers as a page shows of a group: of the one that was asked for, and of each other. */
const shownOfOne = 50;
const shownOfEach = 10;
/** As many of those whom no mail reaches as are shown with the reason at first. */
const explained = 1;

const looks: Record<ReceiverGroup, { readonly icon: IconName; readonly tone: string; readonly text: string }> = {
  trouble: { icon: 'alert', tone: 'bad', text: 'delivery.group.trouble' },
  waiting: { icon: 'mail', tone: 'warn', text: 'delivery.group.waiting' },
  opened: { icon: 'eye', tone: 'calm', text: 'delivery.group.opened' },
  complete: { icon: 'check', tone: 'good', text: 'delivery.group.complete' },
  revoked: { icon: 'stop', tone: 'quiet', text: 'delivery.group.revoked' },
};

/** The receivers: a few one below the other, many in groups. */
export function DropReceivers(props: ListProps): JSX.Element {
  const { receivers } = props;
  const linked = receivers.filter(({ link }) => link !== undefined);
  if (linked.length === 0 && receivers.length > comfortable) return <ReceiverGroups {...props} />;
  const rank = (receiver: SentItemReceiver) => (isUnreached(receiver) && receiver.revokedAt === null ? 0 : 1);
  const sorted = (linked.length > 0 ? linked : receivers).toSorted(
    (one, other) => rank(one) - rank(other) || one.position - other.position,
  );
  return (
    <ul class="receivers">
      <Rows
        items={sorted}
        row={(receiver) => <OpenReceiver key={receiver.position} {...props} receiver={receiver} />}
      />
    </ul>
  );
}

/** Those who need the sender come first and are open; the others are counted, and folded until somebody asks for them. */
function ReceiverGroups(props: ListProps): JSX.Element {
  const groups = groupReceivers(props.receivers);
  return (
    <>
      <GroupBar groups={groups} total={props.receivers.length} />
      {groups.map(([name, group]) => (
        <Group key={name} {...props} name={name} group={group} />
      ))}
    </>
  );
}

function Group(props: ListProps & { name: ReceiverGroup; group: readonly SentItemReceiver[] }): JSX.Element {
  const translator = useTranslator();
  const { name, group, among, path, drop } = props;
  const isAsked = among?.group === name;
  const { items, ...range } = takePage(
    group,
    isAsked ? shownOfOne : shownOfEach,
    ({ position }) => isAsked && position === among.after,
  );
  const { icon, tone, text } = looks[name];
  const isTrouble = name === 'trouble' && drop.state === 'live';
  return (
    <details
      class="receiver-group"
      id={`receivers-${name}`}
      open={isAsked || (isTrouble && among?.group === undefined)}
    >
      <summary>
        <span class={`receiver-group-mark group-${tone}`}>
          <Icon name={icon} small />
        </span>
        <span class="receiver-group-text">
          <strong>{translator.t(text, { count: group.length })}</strong> <Last {...props} />
        </span>
      </summary>
      <ul class="receivers">
        <Rows
          hasLists
          items={items}
          row={(receiver, index) =>
            name === 'trouble' && index < explained ? (
              <OpenReceiver key={receiver.position} {...props} receiver={receiver} />
            ) : (
              <FoldedReceiver key={receiver.position} {...props} receiver={receiver} />
            )
          }
        />
      </ul>
      <RangePager
        {...range}
        shown={items.length}
        hrefAfter={(item) => toHref(path, { who: name, receivers: item && String(item.position) })}
        anchor={`receivers-${name}`}
      />
    </details>
  );
}

/** Names the person who came to this group last, and the time. */
function Last(props: { group: readonly SentItemReceiver[]; name: ReceiverGroup; now: Date }): JSX.Element | null {
  const translator = useTranslator();
  const { group, name, now } = props;
  const [first] = group;
  const at = name === 'complete' ? first?.completedAt : name === 'opened' ? first?.openedAt : undefined;
  if (!first || !at)
    return name === 'trouble' ? <span class="quiet">{translator.t('delivery.groupTrouble')}</span> : null;
  return (
    <span class="quiet">
      {translator.t('delivery.groupLast', { name: isolate(namePerson(first)) })}{' '}
      <BriefMoment at={at} now={now} show="day-time" />
    </span>
  );
}

/** How many are in each group, as a picture: the texts of the groups say the same. */
function GroupBar(props: {
  groups: readonly [ReceiverGroup, readonly SentItemReceiver[]][];
  total: number;
}): JSX.Element {
  const gap = 0.6;
  const order: readonly ReceiverGroup[] = ['complete', 'opened', 'waiting', 'revoked', 'trouble'];
  const sizes = order.flatMap((name) => {
    const count = props.groups.find(([each]) => each === name)?.[1].length ?? 0;
    return count > 0 ? [{ name, share: (count * 100) / props.total }] : [];
  });
  let start = 0;
  return (
    <svg class="group-bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
      {sizes.map(({ name, share }) => {
        const x = start;
        start += share;
        return <rect key={name} class={`bar-${name}`} x={x} width={Math.max(share - gap, gap)} height="8" />;
      })}
    </svg>
  );
}
