import { renderToString } from 'preact-render-to-string';
import type { RenderedMail } from '../../domain/outbox/mail-templates.ts';
import type { Operator } from '../operator.ts';
import { collapse } from '../texts/plain.ts';
import type { Translator } from '../texts/translator.ts';
import { type MailContent, MailHtml, toPlainText } from './mail.tsx';

export function renderMail(translator: Translator, operator: Operator, mail: MailContent): RenderedMail {
  const content = { ...mail, subject: collapse(mail.subject) };
  return {
    subject: content.subject,
    text: toPlainText(translator, operator, content),
    html: `<!doctype html>${renderToString(<MailHtml translator={translator} operator={operator} mail={content} />)}`,
    logo: operator.mailLogo?.content,
  };
}
