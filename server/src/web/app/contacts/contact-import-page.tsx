import type { JSX } from 'preact';
import { oneLine } from '../../../present/texts/plain.ts';
import { useTranslator, type ViewTranslator } from '../../../present/texts/translator-context.ts';
import { Banner } from '../../shared/components/banner.tsx';
import { Button, ButtonLink } from '../../shared/components/button.tsx';
import { CsrfField } from '../../shared/components/csrf-field.tsx';
import { Field, Select } from '../../shared/components/field.tsx';
import { Icon } from '../../shared/components/icon.tsx';
import { LongText } from '../../shared/components/rows.tsx';
import { Crumbs } from '../components/crumbs.tsx';
import { type ListColumn, ListTable } from '../components/list-table.tsx';
import { PageHead } from '../components/page-head.tsx';
import type { ListProps } from '../shared/list-props.ts';

const fileProblems = {
  none: 'contacts.importProblem.none',
  tooLarge: 'contacts.importProblem.tooLarge',
  unreadable: 'contacts.importProblem.unreadable',
  quote: 'contacts.importProblem.quote',
  columns: 'contacts.importProblem.columns',
  empty: 'contacts.importProblem.empty',
  tooMany: 'contacts.importProblem.tooMany',
} as const;
const rowProblems = {
  noAddress: 'contacts.rowProblem.noAddress',
  address: 'contacts.rowProblem.address',
  twice: 'contacts.rowProblem.twice',
  phone: 'contacts.rowProblem.phone',
  language: 'contacts.rowProblem.language',
  tooLong: 'contacts.rowProblem.tooLong',
} as const;
const columnNames = ['email', 'name', 'groups', 'phone', 'language'] as const;
const columnTexts = {
  email: 'contacts.email',
  name: 'contacts.name',
  groups: 'contacts.groups',
  phone: 'contacts.phone',
  language: 'contacts.language',
} as const;

export type ImportColumn = (typeof columnNames)[number];

/** A row of the file, and what its import would do. */
export interface ImportRow {
  readonly row: number;
  readonly name: string;
  readonly email: string;
  readonly result: 'created' | 'changed' | 'unchanged' | keyof typeof rowProblems;
}

/** The content of a file as it was understood, before anything is saved. */
export interface ImportPreview {
  readonly fileName: string;
  readonly rowCount: number;
  readonly counts: Readonly<Record<'created' | 'changed' | 'unchanged' | 'refused', number>>;
  /** The first rows, with all that are refused as far as they fit. */
  readonly rows: readonly ImportRow[];
  /** The names of the file's columns, and which of them has what. */
  readonly columns: readonly string[];
  readonly mapping: Readonly<Partial<Record<ImportColumn, number>>>;
  /** The group into which all of them are put; empty: none. */
  readonly group: string;
  /** The text of the file, which the form sends back: nothing is kept on the server before it is imported. */
  readonly text: string;
}

export interface ContactImportPageProps extends ListProps {
  readonly preview?: ImportPreview | undefined;
  readonly problem?: keyof typeof fileProblems | undefined;
  /** The line that the problem is in. */
  readonly problemLine?: number | undefined;
  readonly maxContacts: number;
  readonly maxColumns: number;
  readonly maxBytes: number;
}

export function contactImportTitle(
  translator: ViewTranslator,
  { preview }: Pick<ContactImportPageProps, 'preview'>,
): string {
  return preview
    ? translator.t('contacts.importTitle', { count: countImported(preview) })
    : translator.t('contacts.importChoose');
}

/** The choices that a preview shows; another choice is shown before anything is imported. */
export function describeChoice({ mapping, group }: Pick<ImportPreview, 'mapping' | 'group'>): string {
  return JSON.stringify([...columnNames.map((name) => mapping[name] ?? -1), group]);
}

function countImported({ counts }: ImportPreview): number {
  return counts.created + counts.changed;
}

export function ContactImportPage(props: ContactImportPageProps): JSX.Element {
  const translator = useTranslator();
  const list = `${props.base}contacts`;
  return (
    <>
      <PageHead
        trail={
          <Crumbs label={translator.t('frame.contacts')} href={list}>
            {translator.t('contacts.import')}
          </Crumbs>
        }
        title={contactImportTitle(translator, props)}
      />
      {props.preview ? (
        <Preview {...props} preview={props.preview} list={list} />
      ) : (
        <ChooseFile {...props} list={list} />
      )}
    </>
  );
}

function ChooseFile(props: ContactImportPageProps & { list: string }): JSX.Element {
  const translator = useTranslator();
  const { csrf, list, problem } = props;
  const max = { count: props.maxContacts };
  const about = {
    ...max,
    line: props.problemLine ?? 0,
    columns: props.maxColumns,
    size: translator.formatSize(props.maxBytes),
  };
  return (
    <form class="panel contact-form" method="post" action={`${list}/import/preview`} encType="multipart/form-data">
      <div class="panel-body">
        <CsrfField csrf={csrf} />
        <p>{translator.t('contacts.importText')}</p>
        <Field
          id="file"
          type="file"
          name="file"
          accept=".csv,text/csv,text/plain"
          required
          label={translator.t('contacts.importFile')}
          hint={translator.t('contacts.importHint', max)}
          problem={problem && translator.t(fileProblems[problem], about)}
        />
        <div class="actions">
          <Button class="button-tint" icon="eye">
            {translator.t('contacts.importPreview')}
          </Button>
          <ButtonLink look="plain" href={list}>
            {translator.t('list.cancel')}
          </ButtonLink>
        </div>
      </div>
    </form>
  );
}

function Preview(props: ContactImportPageProps & { preview: ImportPreview; list: string }): JSX.Element {
  const translator = useTranslator();
  const { csrf, list, preview } = props;
  const { counts } = preview;
  const imported = countImported(preview);
  const columns: ListColumn<ImportRow>[] = [
    {
      name: 'name',
      label: translator.t('contacts.name'),
      cell: ({ name }) => <bdi class="cut">{oneLine(name) || '–'}</bdi>,
    },
    {
      name: 'email',
      label: translator.t('contacts.email'),
      cell: ({ email }) =>
        email === '' ? (
          <span class="quiet">{translator.t('contacts.emptyCell')}</span>
        ) : (
          <bdi class="cut" title={oneLine(email)}>
            {oneLine(email)}
          </bdi>
        ),
    },
    { name: 'result', label: translator.t('contacts.whatHappens'), cell: (row) => <ResultChip result={row.result} /> },
    { name: 'row', label: translator.t('contacts.row'), cell: ({ row }) => translator.formatNumber(row) },
  ];
  return (
    <form class="import" method="post" action={`${list}/import`} encType="multipart/form-data">
      <CsrfField csrf={csrf} />
      <input type="hidden" name="file-name" value={oneLine(preview.fileName)} />
      <textarea name="text" autocomplete="off" hidden>
        {/* A browser ignores the first end of line. */}
        {'\n'}
        <LongText>{preview.text}</LongText>
      </textarea>
      <input type="hidden" name="shown" value={describeChoice(preview)} />
      <p>
        <strong>
          <bdi>{oneLine(preview.fileName)}</bdi>
        </strong>{' '}
        <span class="quiet">{translator.t('contacts.importRows', { count: preview.rowCount })}</span>{' '}
        {translator.t('contacts.importNothingSaved')}
      </p>
      <ul class="import-counts">
        <li>{translator.t('contacts.countCreated', { count: counts.created })}</li>
        <li>{translator.t('contacts.countChanged', { count: counts.changed })}</li>
        {counts.unchanged > 0 && <li>{translator.t('contacts.countUnchanged', { count: counts.unchanged })}</li>}
        {counts.refused > 0 && <li class="bad">{translator.t('contacts.countRefused', { count: counts.refused })}</li>}
      </ul>
      {counts.refused > 0 && <Banner tone="warn">{translator.t('contacts.refusedText')}</Banner>}
      <fieldset class="import-columns">
        <legend>{translator.t('contacts.columns')}</legend>
        {columnNames.map((name) => (
          <Select key={name} id={`column-${name}`} name={`column-${name}`} label={translator.t(columnTexts[name])}>
            <option value="">{translator.t('contacts.noColumn')}</option>
            {preview.columns.map((column, index) => (
              <option key={index} value={index} selected={preview.mapping[name] === index}>
                {oneLine(column) || translator.t('contacts.columnNumber', { number: index + 1 })}
              </option>
            ))}
          </Select>
        ))}
        <Field
          id="group"
          name="group"
          label={translator.t('contacts.intoGroup')}
          value={oneLine(preview.group)}
          maxLength={200}
          autocomplete="off"
        />
        <Button icon="retry" formAction={`${list}/import/preview`}>
          {translator.t('contacts.previewAgain')}
        </Button>
      </fieldset>
      <div class="panel">
        <ListTable
          caption={contactImportTitle(translator, props)}
          look="import"
          columns={columns}
          rows={preview.rows}
          rowKey={({ row }) => String(row)}
        />
      </div>
      {preview.rows.length < preview.rowCount && (
        <p class="quiet">{translator.t('contacts.moreRows', { count: preview.rowCount - preview.rows.length })}</p>
      )}
      <div class="actions">
        {imported > 0 && (
          <Button class="button-tint" icon="check">
            {translator.t('contacts.importSubmit', { count: imported })}
          </Button>
        )}
        <ButtonLink look="plain" href={`${list}/import`}>
          {translator.t('contacts.otherFile')}
        </ButtonLink>
        <ButtonLink look="plain" href={list}>
          {translator.t('list.cancel')}
        </ButtonLink>
      </div>
    </form>
  );
}

function ResultChip({ result }: Pick<ImportRow, 'result'>): JSX.Element {
  const translator = useTranslator();
  const [tone, icon, text] =
    result === 'created'
      ? (['good', 'plus', 'contacts.created'] as const)
      : result === 'changed'
        ? (['calm', 'pencil', 'contacts.changed'] as const)
        : result === 'unchanged'
          ? (['quiet', 'check', 'contacts.unchanged'] as const)
          : (['bad', 'alert', rowProblems[result]] as const);
  return (
    <span class={`status tone-${tone}`}>
      <Icon name={icon} small />
      {translator.t(text)}
    </span>
  );
}
