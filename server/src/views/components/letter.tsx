import type { ComponentChildren, JSX } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { collapse, manyLines, oneLine, wrap } from '../plain.ts';
import type { Words } from '../words.ts';
import { type ScanState, scanTexts } from './scan-words.ts';

export interface MailFile {
  readonly name: string;
  readonly sizeBytes: number;
  /** Where the reader is told. */
  readonly scan?: ScanState | undefined;
}

/** A mail as the mailer takes it. */
export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** What a mail says, whichever way it is shown. The parts come in this order. */
export interface Letter {
  /** The subject, and the heading. */
  readonly subject: string;
  /** What a mailbox shows beside the subject. */
  readonly preheader: string;
  readonly intro?: string | undefined;
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  readonly files?: readonly MailFile[] | undefined;
  /** How many files there are, where only the first of them are listed. */
  readonly fileCount?: number | undefined;
  readonly fields?: readonly (readonly [label: string, value: string])[] | undefined;
  readonly button?: { readonly label: string; readonly here: string; readonly link: string } | undefined;
  readonly closing: readonly string[];
  readonly brand?: string | undefined;
}

export function renderLetter(words: Words, letter: Letter): RenderedMail {
  const subject = collapse(letter.subject);
  return {
    subject,
    text: plainText(words, { ...letter, subject }),
    html: `<!doctype html>${renderToString(<LetterHtml words={words} letter={{ ...letter, subject }} />)}`,
  };
}

function plainText(words: Words, letter: Letter): string {
  const { code, button } = letter;
  const message = manyLines(letter.message ?? '');
  const { files, more } = listed(letter);
  const parts = [
    wrap(letter.subject),
    letter.intro && wrap(letter.intro),
    code && `    ${oneLine(code)}`,
    // Quoted, so that nobody can mistake a stranger's words for ours.
    message && `${words.t('common.message')}:\n\n${wrap(message, 74).replace(/^/gm, '> ').replace(/ +$/gm, '')}`,
    [
      ...files.flatMap((file) => [
        `  ${oneLine(file.name)} (${words.formatSize(file.sizeBytes)})`,
        ...(file.scan ? [`    ${words.t(scanTexts[file.scan])}`] : []),
      ]),
      ...(more > 0 ? [`  ${words.t('common.more', { count: more })}`] : []),
    ].join('\n'),
    letter.fields?.map(([label, value]) => `${label}: ${value}`).join('\n'),
    button && `${button.here}\n${button.link}`,
    wrap(letter.closing.join('\n')),
    `-- \n${letter.brand ?? 'Waybill'} · ${words.t('common.about')}`,
  ];
  return `${parts.filter((part) => part !== undefined && part !== '').join('\n\n')}\n`;
}

/** A mail that lists hundreds of files is cut off by some mailboxes, and the link with it. */
const maxFilesListed = 20;

function listed({ files, fileCount = files?.length ?? 0 }: Letter): { files: readonly MailFile[]; more: number } {
  const shown = (files ?? []).slice(0, maxFilesListed);
  return { files: shown, more: fileCount - shown.length };
}

/**
 * Tables and inline styles, because that is what every mail program draws. The classes only serve the dark colours:
 * where a program does not know them, the light ones stand.
 */
const colours = {
  page: '#f3f2ee',
  card: '#ffffff',
  ink: '#1b2327',
  quiet: '#566167',
  line: '#dcdad3',
  brand: '#0b5d63',
  onBrand: '#ffffff',
};
/** Attributes that only old mail programs need, and today's types no longer know. */
const background = (colour: string) => ({ bgcolor: colour });
const borderless = { border: '0' };
const font = "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif";
const mono = "ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono',monospace";
const dark = `
:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (max-width:480px){.w-card{padding:24px 20px!important}.w-buttons{width:100%!important}.w-button a{display:block!important}}
@media (prefers-color-scheme:dark){
.w-page{background:#12171a!important}
.w-card{background:#1b2226!important;border-color:#2f393e!important}
.w-ink{color:#e8ecec!important}
.w-quiet{color:#a5b1b5!important}
.w-line{border-color:#37434a!important}
.w-brand{color:#7fd0cd!important}
.w-button{background:#7fd0cd!important}
.w-button a{color:#06292b!important;border-color:#7fd0cd!important}
}`;

function LetterHtml({ words, letter }: { words: Words; letter: Letter }): JSX.Element {
  const { button, code } = letter;
  const message = manyLines(letter.message ?? '');
  const brand = letter.brand ?? 'Waybill';
  return (
    <html lang={words.language} dir={words.dir}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width,initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <meta name="format-detection" content="telephone=no,date=no,address=no,email=no" />
        <title>{letter.subject}</title>
        <style dangerouslySetInnerHTML={{ __html: dark }} />
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
          {letter.preheader}
          {'\u00a0\u200c'.repeat(60)}
        </div>
        <Table class="w-page" style={{ background: colours.page }}>
          <tr>
            <td align="center" style={{ padding: '32px 12px' }}>
              <Table style={{ maxWidth: '560px' }}>
                <tr>
                  <td
                    class="w-brand"
                    style={{ ...text(15), padding: '0 4px 14px', color: colours.brand, fontWeight: '600' }}
                  >
                    {brand}
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
                    <h1 class="w-ink" style={{ ...text(21, 1.35), margin: '0', fontWeight: '600' }}>
                      <Breakable>{letter.subject}</Breakable>
                    </h1>
                    {letter.intro && <Paragraph>{letter.intro}</Paragraph>}
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
                    {message && <Message>{message}</Message>}
                    {letter.files && <Files words={words} {...listed(letter)} />}
                    {letter.fields && <Fields fields={letter.fields} />}
                    {button && <Button {...button} />}
                    {button && (
                      <>
                        <Small space={24}>{words.t('mail.buttonFails')}</Small>
                        <p style={{ ...text(13), margin: '4px 0 0' }}>
                          <a
                            class="w-brand"
                            href={button.link}
                            style={{ color: colours.brand, wordBreak: 'break-all' }}
                          >
                            {button.link}
                          </a>
                        </p>
                      </>
                    )}
                    {letter.closing.length > 0 && (
                      <div class="w-line" style={{ marginTop: '28px', borderTop: `1px dashed ${colours.line}` }}>
                        {letter.closing.map((line, index) => (
                          <Small space={index === 0 ? 18 : 6}>{line}</Small>
                        ))}
                      </div>
                    )}
                  </td>
                </tr>
                <tr>
                  <td class="w-quiet" style={{ ...text(12), padding: '14px 4px 0', color: colours.quiet }}>
                    {brand} · {words.t('common.about')}
                  </td>
                </tr>
              </Table>
            </td>
          </tr>
        </Table>
      </body>
    </html>
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

/** An address may break after its @ and its dots, so that it does not have to in the middle of a word. */
function Breakable({ children }: { children: string }): JSX.Element {
  return (
    <>{children.split(/(?<=[@._-])(?=\S)/).map((part, index) => (index === 0 ? part : [<wbr key={index} />, part]))}</>
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

/** The lines of a stranger's message as lines: `white-space` is not known everywhere. */
function Message({ children }: { children: string }): JSX.Element {
  return (
    <div
      class="w-line"
      dir="auto"
      style={{ margin: '22px 0 0', padding: '2px 0 2px 16px', borderLeft: `3px solid ${colours.line}` }}
    >
      {children.split(/\n{2,}/).map((paragraph, index) => (
        <p class="w-ink" style={{ ...text(16), margin: index === 0 ? '0' : '12px 0 0' }}>
          {paragraph.split('\n').map((line, at) => (at === 0 ? line : [<br key={at} />, line]))}
        </p>
      ))}
    </div>
  );
}

function Files(props: { words: Words; files: readonly MailFile[]; more: number }): JSX.Element {
  const cell = { padding: '9px 0', borderTop: `1px solid ${colours.line}`, verticalAlign: 'top' } as const;
  return (
    <Table style={{ margin: '24px 0 0', tableLayout: 'auto' }}>
      {props.files.map((file) => (
        <tr>
          <td class="w-ink w-line" style={{ ...text(15), ...cell }}>
            <bdi>{oneLine(file.name)}</bdi>
            {file.scan && (
              <div class="w-quiet" style={{ ...text(13), color: colours.quiet }}>
                {props.words.t(scanTexts[file.scan])}
              </div>
            )}
          </td>
          <td
            class="w-quiet w-line"
            align={props.words.dir === 'rtl' ? 'left' : 'right'}
            style={{
              ...text(14),
              ...cell,
              [props.words.dir === 'rtl' ? 'paddingRight' : 'paddingLeft']: '16px',
              color: colours.quiet,
              whiteSpace: 'nowrap',
            }}
          >
            {props.words.formatSize(file.sizeBytes)}
          </td>
        </tr>
      ))}
      {props.more > 0 && (
        <tr>
          <td class="w-quiet w-line" colspan={2} style={{ ...text(14), ...cell, color: colours.quiet }}>
            {props.words.t('common.more', { count: props.more })}
          </td>
        </tr>
      )}
    </Table>
  );
}

function Fields({ fields }: { fields: NonNullable<Letter['fields']> }): JSX.Element {
  return (
    <Table style={{ margin: '20px 0 0' }}>
      {fields.map(([label, value]) => (
        <tr>
          <td
            class="w-quiet"
            style={{ ...text(14), padding: '3px 16px 3px 0', color: colours.quiet, whiteSpace: 'nowrap' }}
          >
            {label}
          </td>
          <td class="w-ink" width="100%" style={{ ...text(14), padding: '3px 0' }}>
            {value}
          </td>
        </tr>
      ))}
    </Table>
  );
}

/** A table cell with a background is a button everywhere; the link inside fills it. */
function Button({ label, link }: { label: string; link: string }): JSX.Element {
  return (
    <table
      class="w-buttons"
      role="presentation"
      cellpadding="0"
      cellspacing="0"
      {...borderless}
      style={{ margin: '28px 0 0' }}
    >
      <tbody>
        <tr>
          <td
            class="w-button"
            {...background(colours.brand)}
            style={{ background: colours.brand, borderRadius: '10px' }}
          >
            <a
              href={link}
              style={{
                ...text(16, 1.25),
                display: 'inline-block',
                padding: '14px 28px',
                border: `1px solid ${colours.brand}`,
                borderRadius: '10px',
                color: colours.onBrand,
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
