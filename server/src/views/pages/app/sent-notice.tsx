import type { JSX } from 'preact';
import { Toast } from '../../components/toast.tsx';
import { useTranslator } from '../../components/translator-context.ts';
import { UndoToast } from '../../components/undo-toast.tsx';

const texts = {
  reminded: 'sentList.reminded',
  resent: 'sentList.resent',
  extended: 'sentList.extended',
  revoked: 'sentList.revoked',
  restored: 'sentList.restored',
  added: 'delivery.added',
  corrected: 'delivery.corrected',
  receiverStopped: 'delivery.receiverStopped',
  tooLate: 'sentList.tooLate',
  noneSelected: 'sentList.noneSelected',
  unchanged: 'sentList.unchanged',
  limit: 'delivery.problem.limit',
} as const;
const troubles: ReadonlySet<SentNoticeKind> = new Set(['tooLate', 'noneSelected', 'unchanged', 'limit']);

export type SentNoticeKind = keyof typeof texts;
export const sentNoticeKinds = Object.keys(texts) as SentNoticeKind[];

/** The result of the last action on deliveries. */
export interface SentNotice {
  readonly kind: SentNoticeKind;
  readonly count: number;
  /** How many deliveries had ended meanwhile. */
  readonly unchanged: number;
  /** The deliveries whose revocation can be undone. */
  readonly undo: readonly string[];
}

export function SentNotices(props: { notice: SentNotice; base: string; csrf: string }): JSX.Element {
  const translator = useTranslator();
  const { kind, count, unchanged, undo } = props.notice;
  const text =
    kind === 'reminded' && count === 0 ? translator.t('sentList.nobodyReminded') : translator.t(texts[kind], { count });
  return (
    <>
      {undo.length > 0 ? (
        <UndoToast csrf={props.csrf} action={`${props.base}sent/restore`} fields={{ ids: undo.join(',') }}>
          {text}
        </UndoToast>
      ) : (
        <Toast tone={troubles.has(kind) ? 'bad' : 'good'}>{text}</Toast>
      )}
      {unchanged > 0 && <Toast tone="quiet">{translator.t('sentList.unchanged', { count: unchanged })}</Toast>}
    </>
  );
}
