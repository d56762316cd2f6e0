import type { JSX } from 'preact';
import { useTranslator } from '../../../present/texts/translator-context.ts';
import type { Tone } from '../../shared/components/tone.ts';
import { Toast } from '../components/toast.tsx';
import { UndoToast } from './undo-toast.tsx';

/** The lists of what an account sends: deliveries, and requests for files. */
export type SentScreen = 'sent' | 'requests';

/** The tone and the text of each notice; the second text is for requests, where it differs. */
const notices = {
  asked: ['good', 'requests.notice.asked'],
  linksReady: ['good', 'requests.notice.linksReady'],
  reminded: ['good', 'sentList.reminded'],
  nobodyReminded: ['warn', 'sentList.nobodyReminded', 'requests.notice.nobodyReminded'],
  resent: ['good', 'sentList.resent'],
  extended: ['good', 'sentList.extended', 'requests.notice.extended'],
  notLater: ['warn', 'sentList.notLater', 'requests.notice.notLater'],
  revoked: ['good', 'sentList.revoked', 'requests.notice.closed'],
  restored: ['good', 'sentList.restored', 'requests.notice.restored'],
  added: ['good', 'delivery.added', 'requests.notice.added'],
  corrected: ['good', 'delivery.corrected'],
  receiverStopped: ['good', 'delivery.receiverStopped'],
  tooLate: ['bad', 'sentList.tooLate'],
  noneSelected: ['warn', 'sentList.noneSelected', 'requests.notice.noneSelected'],
  unchanged: ['bad', 'sentList.unchanged', 'requests.notice.unchanged'],
  limit: ['bad', 'delivery.problem.limit'],
} as const satisfies Record<string, readonly [tone: Tone, text: string, ofRequests?: string]>;

export type SentNoticeKind = keyof typeof notices;
export const sentNoticeKinds = Object.keys(notices) as SentNoticeKind[];

/** The result of the last action on deliveries or requests. */
export interface SentNotice {
  readonly kind: SentNoticeKind;
  readonly count: number;
  /** How many of them had ended meanwhile. */
  readonly unchanged: number;
  /** The ids of those whose revocation can be undone. */
  readonly undo: readonly string[];
}

/** The address of a page names the notice, so that it can be shown after a redirect. */
export function SentNotices(props: {
  screen: SentScreen;
  notice: SentNotice;
  base: string;
  csrf: string;
}): JSX.Element {
  const { t } = useTranslator();
  const { kind, count, unchanged, undo } = props.notice;
  const toText = (each: SentNoticeKind, number: number) => {
    const [, text, ofRequests = text] = notices[each];
    return t(props.screen === 'requests' ? ofRequests : text, { count: number });
  };
  return (
    <>
      {undo.length > 0 ? (
        <UndoToast csrf={props.csrf} action={`${props.base}${props.screen}/restore`} fields={{ ids: undo.join(',') }}>
          {toText(kind, count)}
        </UndoToast>
      ) : (
        <Toast tone={notices[kind][0]}>{toText(kind, count)}</Toast>
      )}
      {unchanged > 0 && <Toast tone="quiet">{toText('unchanged', unchanged)}</Toast>}
    </>
  );
}
