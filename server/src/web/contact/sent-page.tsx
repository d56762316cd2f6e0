import type { JSX } from 'preact';
import { isolate, oneLine } from '../../present/texts/plain.ts';
import { useTranslator, type ViewTranslator } from '../../present/texts/translator-context.ts';
import { ButtonLink } from '../shared/components/button.tsx';
import { Card, Fields } from '../shared/components/card.tsx';
import { DoneForm } from '../shared/components/done-form.tsx';
import { ListHead } from '../shared/components/list-head.tsx';
import { Moment } from '../shared/components/moment.tsx';
import { OwnReceipt } from '../shared/components/own-receipt.tsx';
import { ScanSummary } from '../shared/components/scan-note.tsx';
import type { Sender } from '../shared/components/sender.tsx';
import { PlainFiles } from './plain-files.tsx';
import { EarlierSendings, type Sending } from './sendings.tsx';

export interface SentPageProps {
  readonly sender: Sender;
  /** The reference that people use for the request. */
  readonly reference: string;
  readonly last: Sending;
  /** Newest first. */
  readonly earlier: readonly Sending[];
  /** The URL for sending more files, and its expiry; undefined if files can be sent only once. */
  readonly more?: { readonly href: string; readonly until: Date } | undefined;
  /** The contact's receipt, without the ending of the file. */
  readonly receiptHref: string;
  /** Ends the session of this browser. */
  readonly doneAction: string;
}

export function sentTitle(translator: ViewTranslator): string {
  return translator.t('sent.title');
}

/** Shows what was sent and when, as long as the link works. */
export function SentPage(props: SentPageProps): JSX.Element {
  const translator = useTranslator();
  const { last, more } = props;
  const sender = isolate(props.sender.name);
  return (
    <Card
      columns
      icon="check"
      tone="good"
      reference={props.reference}
      postmarked
      title={translator.t('sent.heading', { count: last.fileCount, sender })}
      about={
        <>
          <p class="quiet">{translator.t('sent.text', { sender })}</p>
          <Fields
            fields={[
              [translator.t('common.to'), oneLine(props.sender.address)],
              [translator.t('sent.at'), <Moment at={last.sentAt} />],
              ...(more ? [[translator.t('upload.until'), <Moment at={more.until} show="deadline" />] as const] : []),
            ]}
          />
          {more ? (
            <ButtonLink href={more.href} icon="plus">
              {translator.t('sent.more')}
            </ButtonLink>
          ) : (
            <p class="quiet small">{translator.t('sent.once', { sender })}</p>
          )}
        </>
      }
    >
      <section>
        <ListHead count={last.fileCount} sizeBytes={last.totalBytes}>
          <p class="small quiet">
            <ScanSummary files={last.files} />
          </p>
        </ListHead>
        <PlainFiles files={last.files} count={last.fileCount} />
      </section>
      <EarlierSendings sendings={props.earlier} />
      <OwnReceipt path={props.receiptHref} text={translator.t('receipt.contactText')} />
      <DoneForm action={props.doneAction} />
    </Card>
  );
}
