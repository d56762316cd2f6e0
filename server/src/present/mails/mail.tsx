import type { ComponentChildren, JSX } from 'preact';
import { type Shades, toShades } from '../colors.ts';
import type { Operator } from '../operator.ts';
import { sortByPath } from '../texts/file-order.ts';
import { isolate, manyLines, oneLine, splitMessage, wrap } from '../texts/plain.ts';
import { findScanText, type Scanned } from '../texts/scan-texts.ts';
import type { ViewTranslator } from '../texts/translator-context.ts';

/** With the result of its scan, if the mail says whether the file was scanned. */
export interface MailFile extends Partial<Scanned> {
  readonly name: string;
  /** The path of the file in the folder that was sent, by which files are sorted. */
  readonly path?: string | undefined;
  readonly sizeBytes: number;
}

/** The id by which the HTML refers to the logo that is attached to the mail. */
export const logoId = 'logo@waybill';

/** The content of a mail, for both text and HTML, in the order of its parts. */
export interface MailContent {
  /** The subject, and the heading. */
  readonly subject: string;
  readonly intro?: string | undefined;
  /** Facts about the button or the code, such as its size and validity. */
  readonly note?: string | undefined;
  readonly code?: string | undefined;
  readonly button?: { readonly label: string; readonly here: string; readonly link: string } | undefined;
  /** Events so far, each with its time. */
  readonly steps?: readonly (readonly [label: string, time: string])[] | undefined;
  readonly fields?: readonly (readonly [label: string, value: string])[] | undefined;
  /** The message; if a page shows all of it, only the start of a long one. */
  readonly message?: string | undefined;
  /** The names of the files that the reader is asked for. */
  readonly wanted?: readonly string[] | undefined;
  readonly files?: readonly MailFile[] | undefined;
  /** How many files there are, if only the first of them are listed. */
  readonly fileCount?: number | undefined;
  /** The size of all files, unless the note has it. */
  readonly totalBytes?: number | undefined;
  /** How many of all files were not scanned, if the mail says so. */
  readonly unscannedCount?: number | undefined;
  readonly closing: readonly string[];
  /** The reader's address, so that a reader with several addresses, or with forwarding, sees which one it is. */
  readonly to: string;
  /** The reference that people use for the drop it is about. */
  readonly reference?: string | undefined;
  /** The person who gets a reply to this mail, if the mail says so. */
  readonly replyTo?: string | undefined;
  /** The link with which the reader can stop or report the sender. */
  readonly stop?: { readonly sender: string; readonly link: string } | undefined;
}

/** As much of the operator as mails show. */
export type MailOperator = Pick<Operator, 'name' | 'color' | 'supportAddress'> & {
  readonly mailLogo?: Omit<NonNullable<Operator['mailLogo']>, 'content'> | undefined;
};

/** The same as text, for programs that show no HTML. */
export function toPlainText(translator: ViewTranslator, operator: MailOperator, mail: MailContent): string {
  const { code, button } = mail;
  const [message, rest] = splitMailMessage(mail);
  const { files, more } = listFiles(translator, mail);
  const parts = [
    wrap(mail.subject),
    mail.intro && wrap(mail.intro),
    mail.note && wrap(mail.note),
    code && `    ${oneLine(code)}`,
    button && `${button.here}\n${button.link}`,
    [...(mail.steps ?? []), ...(mail.fields ?? [])]
      .map(([label, value]) => wrap(formatLabelled(translator, label, value)))
      .join('\n'),
    // Quoted, so that the sender's words cannot be mistaken for ours.
    message &&
      `${formatLabelled(translator, translator.t('common.message'))}\n\n${wrap(message, 74).replace(/^/gm, '> ').replace(/ +$/gm, '')}`,
    rest && translator.t('mail.messageRest'),
    mail.wanted?.length &&
      [
        formatLabelled(translator, translator.t('upload.wanted.title', { count: mail.wanted.length })),
        ...mail.wanted.map((name) => `  ${oneLine(name)}`),
      ].join('\n'),
    files.length > 0 &&
      [
        formatLabelled(translator, toFilesTitle(translator, mail)),
        ...files.flatMap((file) => [
          `  ${oneLine(file.name)} (${translator.formatSize(file.sizeBytes)})`,
          ...(isException(mail, file) ? [`    ${translator.t(findScanText(file))}`] : []),
        ]),
        ...(more > 0 ? [`  ${translator.t('common.more', { count: more })}`] : []),
      ].join('\n'),
    wrap(toScanSummary(translator, mail) ?? ''),
    wrap(toClosing(translator, mail).join('\n')),
    `-- \n${[...toFooter(translator, operator, mail), ...stopLines(translator, operator, mail)].join('\n')}`,
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

/** Enough to recognise what was sent. The page lists all files. */
const maxFilesListed = 5;
const maxMessageLength = 600;

function splitMailMessage({ message = '', button }: MailContent): [start: string, rest: string] {
  const all = manyLines(message);
  return button && all.length > maxMessageLength ? splitMessage(all, maxMessageLength) : [all, ''];
}

function toClosing(translator: ViewTranslator, { closing, replyTo, to }: MailContent): readonly string[] {
  return [
    ...closing,
    ...(replyTo === undefined ? [] : [translator.t('mail.reply', { person: isolate(replyTo) })]),
    translator.t('mail.sentTo', { address: isolate(to) }),
  ];
}

function toFilesTitle(translator: ViewTranslator, mail: MailContent): string {
  const count = translator.t('sent.count', { count: countFiles(mail) });
  return mail.totalBytes === undefined ? count : `${count}, ${translator.formatSize(mail.totalBytes)}`;
}

/** Says the results of the scan once, for all files, including those that are not listed. */
function toScanSummary(translator: ViewTranslator, mail: MailContent): string | undefined {
  const { unscannedCount: unscanned } = mail;
  const count = countFiles(mail);
  if (unscanned === undefined || count === 0) return undefined;
  if (unscanned === 0) return translator.t('mail.scan.all', { count });
  if (unscanned === count) return translator.t('mail.scan.none', { count });
  return translator.t('mail.scan.some', { count: unscanned, total: translator.formatNumber(count) });
}

/** Whether the summary does not say what is so for this file. */
function isException(mail: MailContent, { scan }: MailFile): boolean {
  const { unscannedCount = 0 } = mail;
  return scan === 'unscanned' && unscannedCount > 0 && unscannedCount < countFiles(mail);
}

function countFiles({ files, fileCount = files?.length ?? 0 }: MailContent): number {
  return fileCount;
}

/** Says whom to ask, and which reference to give. */
function toFooter(
  translator: ViewTranslator,
  { name, supportAddress }: MailOperator,
  { reference }: MailContent,
): readonly string[] {
  return [
    ...(reference === undefined ? [] : [formatLabelled(translator, translator.t('common.reference'), reference)]),
    `${name} · ${translator.t('common.about')}`,
    ...(supportAddress === undefined ? [] : [`${translator.t('common.support')} ${supportAddress}`]),
  ];
}

/** Adds the colon of the language: French has a space before it. */
function formatLabelled(translator: ViewTranslator, label: string, value = ''): string {
  return translator.t('common.labelled', { label, value }).trimEnd();
}

/** Mentions reports only if the operator has an address for them. */
function stopTexts(
  translator: ViewTranslator,
  { supportAddress }: MailOperator,
  { sender }: NonNullable<MailContent['stop']>,
) {
  const link = translator.t(supportAddress === undefined ? 'mail.stop.link' : 'mail.stop.reportLink');
  return { question: translator.t('mail.stop.question', { sender }), link };
}

function stopLines(translator: ViewTranslator, operator: MailOperator, { stop }: MailContent): readonly string[] {
  if (!stop) return [];
  const { question, link } = stopTexts(translator, operator, stop);
  return [wrap(formatLabelled(translator, `${question} ${link}`)), stop.link];
}

function listFiles(translator: ViewTranslator, mail: MailContent): { files: readonly MailFile[]; more: number } {
  const sorted = sortByPath(mail.files ?? [], translator.locale, ({ name, path = name }) => path);
  const shown = sorted.slice(0, maxFilesListed);
  return { files: shown, more: countFiles(mail) - shown.length };
}

/**
 * Tables and inline styles, because every mail program can draw them. The classes are only for the dark colours: a
 * program that does not support them shows the light ones.
 */
const colours = {
  page: '#f4f2ed',
  card: '#ffffff',
  ink: '#182126',
  quiet: '#525d63',
  line: '#dedbd3',
  good: '#19653a',
};
/** Attributes for old mail programs, which are missing from today's types. */
const background = (colour: string) => ({ bgcolor: colour });
const borderless = { border: '0' };
const font = "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif";
const mono = "ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono',monospace";
/** Waybill's own colour, if the operator has none. */
const ourColor = '#0b5d63';
const darkStyle = ({ accent, fill, onFill }: Shades['dark']) => `
:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (max-width:480px){.w-card{padding:24px 20px!important}.w-buttons{width:100%!important}.w-button a{display:block!important}}
@media (prefers-color-scheme:dark){
.w-page{background:#11171a!important}
.w-card{background:#1a2226!important;border-color:#323d43!important}
.w-ink{color:#e9edec!important}
.w-quiet{color:#a8b4b8!important}
.w-line{border-color:#323d43!important}
.w-box{background:#11171a!important}
.w-good{color:#8fd8a8!important}
.w-brand{color:${accent}!important}
.w-button{background:${fill}!important}
.w-button a{color:${onFill}!important;border-color:${fill}!important}
}`;

interface MailProps {
  readonly translator: ViewTranslator;
  readonly operator: MailOperator;
  readonly mail: MailContent;
}

export function MailHtml(props: MailProps): JSX.Element {
  const { translator, operator, mail } = props;
  const { dark } = toShades(operator.color ?? ourColor);
  return (
    <html lang={translator.language} dir={translator.dir}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <meta name="format-detection" content="telephone=no,date=no,address=no,email=no" />
        <title>{mail.subject}</title>
        <style dangerouslySetInnerHTML={{ __html: darkStyle(dark) }} />
      </head>
      <body
        class="w-page"
        style={{ margin: '0', padding: '0', background: colours.page, WebkitTextSizeAdjust: '100%' }}
        // Some programs keep the body's attributes and drop its style.
        {...background(colours.page)}
      >
        <div
          style={{
            display: 'none',
            maxHeight: '0',
            overflow: 'hidden',
            fontSize: '1px',
            lineHeight: '1px',
            opacity: '0',
          }}
        >
          {/* Text that a mailbox shows beside the subject. Everything here is also said visibly. */}
          {[mail.intro, mail.note].filter(Boolean).join(' ')}
        </div>
        <MailBody {...props} />
      </body>
    </html>
  );
}

/** The part of a mail that its reader sees; the app shows it before it is sent. */
export function MailBody({ translator, operator, mail }: MailProps): JSX.Element {
  const { light } = toShades(operator.color ?? ourColor);
  const { button, code } = mail;
  const [message, rest] = splitMailMessage(mail);
  return (
    <Table class="w-page" style={{ background: colours.page }}>
      <tr>
        <td align="center" style={{ padding: '32px 12px' }}>
          <Table style={{ maxWidth: '560px' }}>
            <tr>
              <td
                class="w-brand"
                style={{ ...text(15), padding: '0 4px 14px', color: light.accent, fontWeight: '600' }}
              >
                {operator.mailLogo && <Logo {...operator.mailLogo} />}
                {operator.name}
              </td>
            </tr>
            <tr>
              <td
                class="w-card"
                {...background(colours.card)}
                style={{
                  padding: '32px 36px',
                  background: colours.card,
                  border: `1px solid ${colours.line}`,
                  borderRadius: '14px',
                }}
              >
                <h1 class="w-ink" style={{ ...text(24, 1.3), margin: '0', fontWeight: '700' }}>
                  <Breakable>{mail.subject}</Breakable>
                </h1>
                {mail.intro && <Paragraph>{mail.intro}</Paragraph>}
                {mail.note && <Paragraph>{mail.note}</Paragraph>}
                {code && (
                  <p
                    class="w-ink"
                    style={{
                      ...text(34, 1.2),
                      margin: '24px 0 0',
                      fontFamily: mono,
                      fontWeight: '600',
                      letterSpacing: '0.18em',
                    }}
                  >
                    {oneLine(code)}
                  </p>
                )}
                {button && <Button {...button} shade={light} />}
                {mail.steps && <Steps steps={mail.steps} />}
                {mail.fields && mail.fields.length > 0 && <Fields fields={mail.fields} />}
                {message && <Message>{message}</Message>}
                {rest && <Small space={8}>{translator.t('mail.messageRest')}</Small>}
                {mail.wanted && mail.wanted.length > 0 && <Wanted translator={translator} names={mail.wanted} />}
                {mail.files && <Files translator={translator} mail={mail} />}
                <div class="w-line" style={{ marginTop: '28px', borderTop: `2px dotted ${colours.line}` }}>
                  {button && (
                    <>
                      <Small space={18}>{translator.t('mail.buttonFails')}</Small>
                      <p style={{ ...text(13), margin: '4px 0 0' }}>
                        <a class="w-brand" href={button.link} style={{ color: light.accent, wordBreak: 'break-all' }}>
                          {button.link}
                        </a>
                      </p>
                    </>
                  )}
                  {toClosing(translator, mail).map((line, index) => (
                    <Small space={index === 0 ? 18 : 6}>{line}</Small>
                  ))}
                </div>
              </td>
            </tr>
            <tr>
              <td class="w-quiet" style={{ ...text(12), padding: '14px 4px 0', color: colours.quiet }}>
                {toFooter(translator, operator, mail).map((line, index) => (
                  <div key={index}>{line}</div>
                ))}
                {mail.stop && <Stop translator={translator} operator={operator} stop={mail.stop} />}
              </td>
            </tr>
          </Table>
        </td>
      </tr>
    </Table>
  );
}

function Stop(props: {
  translator: ViewTranslator;
  operator: MailOperator;
  stop: NonNullable<MailContent['stop']>;
}): JSX.Element {
  const { question, link } = stopTexts(props.translator, props.operator, props.stop);
  return (
    <div style={{ marginTop: '8px' }}>
      {question}{' '}
      <a class="w-quiet" href={props.stop.link} style={{ color: colours.quiet }}>
        {link}
      </a>
    </div>
  );
}

type Style = Readonly<Record<string, string>>;

function text(size: number, lineHeight = 1.5): Style {
  return {
    fontFamily: font,
    fontSize: `${size}px`,
    lineHeight: String(lineHeight),
    color: colours.ink,
    wordBreak: 'break-word',
    overflowWrap: 'anywhere',
  };
}

function Table(props: { class?: string; style?: Style; children: ComponentChildren }): JSX.Element {
  return (
    <table
      role="presentation"
      width="100%"
      cellpadding="0"
      cellspacing="0"
      {...borderless}
      class={props.class}
      style={{ width: '100%', borderCollapse: 'separate', ...props.style }}
    >
      <tbody>{props.children}</tbody>
    </table>
  );
}

/**
 * An address stays on one line if it fits on one, because it is a block of its own. Otherwise it breaks after its @ and
 * its dots, so that it does not have to break in the middle of a word.
 */
function Breakable({ children }: { children: string }): JSX.Element {
  return (
    <>
      {children
        .split(/(\S*@\S*)/)
        .map((part, index) => (part.includes('@') ? <Address key={index}>{part}</Address> : part))}
    </>
  );
}

function Address({ children }: { children: string }): JSX.Element {
  const parts = children.split(/(?<=[@._-])(?=.)/);
  return (
    <span style={{ display: 'inline-block', maxWidth: '100%' }}>
      {parts.map((part, index) => (index === 0 ? part : [<wbr key={index} />, part]))}
    </span>
  );
}

function Paragraph({ children }: { children: ComponentChildren }): JSX.Element {
  return (
    <p class="w-ink" style={{ ...text(16), margin: '14px 0 0' }}>
      {children}
    </p>
  );
}

function Small({ space, children }: { space: number; children: ComponentChildren }): JSX.Element {
  return (
    <p class="w-quiet" style={{ ...text(13), margin: `${space}px 0 0`, color: colours.quiet }}>
      {children}
    </p>
  );
}

/** The lines of another person's message as lines, because `white-space` is not supported everywhere. */
function Message({ children }: { children: string }): JSX.Element {
  return (
    <Table style={{ margin: '24px 0 0' }}>
      <tr>
        <td
          class="w-box"
          dir="auto"
          {...background(colours.page)}
          style={{ padding: '14px 18px', background: colours.page, borderRadius: '10px' }}
        >
          {children.split(/\n{2,}/).map((paragraph, index) => (
            <p class="w-ink" style={{ ...text(16), margin: index === 0 ? '0' : '12px 0 0' }}>
              {paragraph.split('\n').map((line, at) => (at === 0 ? line : [<br key={at} />, line]))}
            </p>
          ))}
        </td>
      </tr>
    </Table>
  );
}

/** Beside the operator's name, which says the same. Old mail programs need the size as attributes. */
function Logo({ width, height }: NonNullable<MailOperator['mailLogo']>): JSX.Element {
  return (
    <img
      src={`cid:${logoId}`}
      alt=""
      width={width}
      height={height}
      style={{ width: `${width}px`, height: `${height}px`, margin: '0 10px 0 0', verticalAlign: 'middle' }}
    />
  );
}

function Steps({ steps }: { steps: NonNullable<MailContent['steps']> }): JSX.Element {
  return (
    <Table style={{ margin: '20px 0 0' }}>
      {steps.map(([label, time]) => (
        <tr>
          <td class="w-good" width="24" valign="top" style={{ ...text(16), padding: '5px 0', color: colours.good }}>
            ✓
          </td>
          <td class="w-ink" valign="top" style={{ ...text(15), padding: '5px 0' }}>
            <strong>{label}</strong>
            <div class="w-quiet" style={{ ...text(14), color: colours.quiet }}>
              {time}
            </div>
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Wanted({ translator, names }: { translator: ViewTranslator; names: readonly string[] }): JSX.Element {
  return (
    <Table style={{ margin: '24px 0 0' }}>
      <tr>
        <td class="w-ink" style={{ ...text(15), padding: '0 0 9px', fontWeight: '600' }}>
          {translator.t('upload.wanted.title', { count: names.length })}
        </td>
      </tr>
      {names.map((name, index) => (
        <tr key={index}>
          <td
            class="w-ink w-line"
            dir="auto"
            style={{ ...text(15), padding: '9px 0', borderTop: `1px solid ${colours.line}` }}
          >
            {oneLine(name)}
          </td>
        </tr>
      ))}
    </Table>
  );
}

function Files({ translator, mail }: { translator: ViewTranslator; mail: MailContent }): JSX.Element {
  const { files, more } = listFiles(translator, mail);
  const summary = toScanSummary(translator, mail);
  const isClean = mail.unscannedCount === 0;
  const cell = { padding: '9px 0', borderTop: `1px solid ${colours.line}`, verticalAlign: 'top' } as const;
  return (
    <Table style={{ margin: '24px 0 0', tableLayout: 'auto' }}>
      <tr>
        <td class="w-ink" colspan={2} style={{ ...text(15), padding: '0 0 9px', fontWeight: '600' }}>
          {toFilesTitle(translator, mail)}
        </td>
      </tr>
      {files.map((file) => (
        <tr>
          <td class="w-ink w-line" style={{ ...text(15), ...cell }}>
            <bdi>{oneLine(file.name)}</bdi>
            {isException(mail, file) && (
              <div class="w-quiet" style={{ ...text(13), color: colours.quiet }}>
                {translator.t(findScanText(file))}
              </div>
            )}
          </td>
          <td
            class="w-quiet w-line"
            align={translator.dir === 'rtl' ? 'left' : 'right'}
            style={{
              ...text(14),
              ...cell,
              [translator.dir === 'rtl' ? 'paddingRight' : 'paddingLeft']: '16px',
              color: colours.quiet,
              whiteSpace: 'nowrap',
            }}
          >
            {translator.formatSize(file.sizeBytes)}
          </td>
        </tr>
      ))}
      {more > 0 && (
        <tr>
          <td class="w-quiet w-line" colspan={2} style={{ ...text(14), ...cell, color: colours.quiet }}>
            {translator.t('common.more', { count: more })}
          </td>
        </tr>
      )}
      {summary && (
        <tr>
          <td
            class={isClean ? 'w-good w-line' : 'w-quiet w-line'}
            colspan={2}
            style={{ ...text(14), ...cell, color: isClean ? colours.good : colours.quiet }}
          >
            {isClean && '✓ '}
            {summary}
          </td>
        </tr>
      )}
    </Table>
  );
}

function Fields({ fields }: { fields: NonNullable<MailContent['fields']> }): JSX.Element {
  return (
    <Table style={{ margin: '20px 0 0' }}>
      {fields.map(([label, value]) => (
        <tr>
          <td
            class="w-quiet"
            valign="top"
            style={{ ...text(14), padding: '3px 16px 3px 0', color: colours.quiet, whiteSpace: 'nowrap' }}
          >
            {label}
          </td>
          <td class="w-ink" width="100%" valign="top" style={{ ...text(14), padding: '3px 0' }}>
            <Breakable>{value}</Breakable>
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** A table cell with a background works as a button everywhere; the link inside fills it. */
function Button({ label, link, shade }: { label: string; link: string; shade: Shades['light'] }): JSX.Element {
  return (
    <table
      class="w-buttons"
      role="presentation"
      cellpadding="0"
      cellspacing="0"
      {...borderless}
      style={{ margin: '24px 0 0' }}
    >
      <tbody>
        <tr>
          <td class="w-button" {...background(shade.fill)} style={{ background: shade.fill, borderRadius: '10px' }}>
            <a
              href={link}
              style={{
                ...text(16, 1.25),
                display: 'inline-block',
                padding: '14px 28px',
                border: `1px solid ${shade.fill}`,
                borderRadius: '10px',
                color: shade.onFill,
                fontWeight: '600',
                textAlign: 'center',
                textDecoration: 'none',
              }}
            >
              {label}
            </a>
          </td>
        </tr>
      </tbody>
    </table>
  );
}
