import type { JSX } from 'preact';
import { Toast } from '../../components/toast.tsx';
import { useTranslator } from '../../components/translator-context.ts';
import { UndoToast } from '../../components/undo-toast.tsx';

const texts = {
  asked: ['good', 'requests.notice.asked'],
  linksReady: ['good', 'requests.notice.linksReady'],
  reminded: ['good', 'requests.notice.reminded'],
  nobodyReminded: ['warn', 'requests.notice.nobodyReminded'],
  resent: ['good', 'requests.notice.resent'],
  extended: ['good', 'requests.notice.extended'],
  closed: ['good', 'requests.notice.closed'],
  contactClosed: ['good', 'requests.notice.contactClosed'],
  restored: ['good', 'requests.notice.restored'],
  added: ['good', 'requests.notice.added'],
  corrected: ['good', 'requests.notice.corrected'],
  tooLate: ['bad', 'requests.notice.tooLate'],
  noneSelected: ['warn', 'requests.notice.noneSelected'],
  notLater: ['bad', 'requests.notice.notLater'],
  ended: ['bad', 'delivery.problem.ended'],
  limit: ['bad', 'delivery.problem.limit'],
} as const;

export type RequestsNoticeKind = keyof typeof texts;

export function isRequestsNotice(kind: string): kind is RequestsNoticeKind {
  return Object.hasOwn(texts, kind);
}

export interface RequestsNoticeProps {
  readonly notice: {
    readonly kind: RequestsNoticeKind;
    readonly count: number;
    /** The requests that can be opened again. */
    readonly undo: readonly string[];
  };
  readonly base: string;
  readonly csrf: string;
}

/** The result of the last action on requests. The address of the page names it, so that it can be shown after a redirect. */
export function RequestsNotice({ notice, base, csrf }: RequestsNoticeProps): JSX.Element {
  const translator = useTranslator();
  const { count, undo } = notice;
  const [tone, text] = texts[notice.kind === 'reminded' && count === 0 ? 'nobodyReminded' : notice.kind];
  return notice.kind === 'closed' && undo.length > 0 ? (
    <UndoToast csrf={csrf} action={`${base}requests/restore`} fields={{ ids: undo.join(',') }}>
      {translator.t(text, { count })}
    </UndoToast>
  ) : (
    <Toast tone={tone}>{translator.t(text, { count })}</Toast>
  );
}
