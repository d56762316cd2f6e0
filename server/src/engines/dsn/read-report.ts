import PostalMime, { type Attachment } from 'postal-mime';
import type { DeliveryReport } from '../../domain/ports/mailer.ts';

/** A report has three parts. The mail that it returns is not inspected. */
const parsing = { forceRfc822Attachments: true, maxNestingDepth: 5, maxHeadersSize: 64 * 1024 };
/** The headers in which mail servers record the address that a mail was delivered to. */
const addressHeaders = new Set(['to', 'delivered-to', 'x-original-to', 'envelope-to']);
const maxAddresses = 20;
const maxAddressesLength = 8 * 1024;
const maxRecipients = 20;
const maxStatusLength = 64 * 1024;

/** Reads a delivery status notification (RFC 3464). Returns undefined for any other mail, including malformed ones. */
export async function readReport(mail: Buffer): Promise<DeliveryReport | undefined> {
  const email = await PostalMime.parse(mail, parsing).catch(() => undefined);
  const type = email?.headers.find(({ key }) => key === 'content-type')?.value ?? '';
  if (!email || !/^multipart\/report\s*;/i.test(type) || !/;\s*report-type="?delivery-status"?\s*(?:;|$)/i.test(type)) {
    return undefined;
  }
  const parts = (...types: string[]) => email.attachments.filter(({ mimeType }) => types.includes(mimeType));
  const [status, ...others] = parts('message/delivery-status', 'message/global-delivery-status');
  if (!status || others.length > 0) return undefined;
  // The first group is about the report itself.
  const [about, ...groups] = decodeText(status, maxStatusLength)
    .split(/\n(?:[ \t]*\n)+/)
    .map(parseFields);
  const [returned] = parts('message/rfc822', 'text/rfc822-headers', 'message/global', 'message/global-headers');
  const header = returned && decodeText(returned, maxStatusLength).split(/\n[ \t]*\n/, 1)[0];
  return {
    addresses: email.headers
      .filter(({ key }) => addressHeaders.has(key))
      .flatMap(({ value }) => value.slice(0, maxAddressesLength).split(/[\s<>,;:"]+/))
      .filter((word) => /^[^@]{1,64}@[^@]{1,255}$/.test(word))
      .slice(0, maxAddresses),
    aboutMessageId: header === undefined ? undefined : parseFields(header).get('message-id'),
    recipients: groups
      .filter((fields) => fields.has('final-recipient'))
      .slice(0, maxRecipients)
      .map((fields) => ({
        action: fields.get('action')?.toLowerCase() ?? '',
        status: fields.get('status')?.split(/[\s(]/, 1)[0] ?? '',
        diagnostic: stripType(fields.get('diagnostic-code')),
        server: readServer(fields.get('remote-mta') ?? about?.get('reporting-mta')),
      })),
  };
}

/** Of `smtp; 550 5.1.1 …` and `dns; mx.example.net`, the type is of no use to a reader. */
function stripType(value = ''): string {
  return value.replace(/^[a-z0-9-]+\s*;\s*/i, '');
}

/** The name of a server, and nothing else that a report may claim. */
function readServer(value: string | undefined): string {
  const server = stripType(value).trim();
  return /^[\w.:[\]-]{1,255}$/.test(server) ? server : '';
}

function decodeText({ content }: Attachment, maxLength: number): string {
  const bytes = typeof content === 'string' ? Buffer.from(content) : Buffer.from(content as ArrayBuffer);
  return bytes.subarray(0, maxLength).toString('utf8').replaceAll('\r\n', '\n');
}

/** Header fields by lower-case name; if a name occurs twice, the first one counts. */
function parseFields(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const line of text.replaceAll(/\n[ \t]+/g, ' ').split('\n')) {
    const [, name = '', value = ''] = /^([!-9;-~]+)[ \t]*:(.*)$/.exec(line) ?? [];
    if (name !== '' && !fields.has(name.toLowerCase())) fields.set(name.toLowerCase(), value.trim());
  }
  return fields;
}
