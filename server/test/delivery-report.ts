/** A delivery status notification as Postfix writes it, and variants of it. */
export interface ReportParts {
  readonly to: string;
  readonly messageId?: string;
  readonly action?: string;
  readonly status?: string;
  readonly diagnostic?: string;
  readonly contentType?: string;
}

export function deliveryReport({
  to,
  messageId,
  action = 'failed',
  status = '5.1.1',
  diagnostic = 'X-Postfix; unknown user: "late"',
  contentType = 'multipart/report; report-type=delivery-status',
}: ReportParts): Buffer {
  const lines = [
    'Return-Path: <>',
    `X-Original-To: ${to}`,
    `Delivered-To: ${to}`,
    'Date: Sun, 15 Nov 2026 22:00:00 +0000 (UTC)',
    'From: MAILER-DAEMON@mail.example.net (Mail Delivery System)',
    'Subject: Undelivered Mail Returned to Sender',
    `To: ${to}`,
    'Auto-Submitted: auto-replied',
    'MIME-Version: 1.0',
    `Content-Type: ${contentType};`,
    '\tboundary="AB12.1763/mail.example.net"',
    '',
    'This is a MIME-encapsulated message.',
    '',
    '--AB12.1763/mail.example.net',
    'Content-Description: Notification',
    'Content-Type: text/plain; charset=us-ascii',
    '',
    'I’m sorry to have to inform you that your message could not be delivered.',
    '',
    '--AB12.1763/mail.example.net',
    'Content-Description: Delivery report',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mail.example.net',
    'Arrival-Date: Sun, 15 Nov 2026 22:00:00 +0000 (UTC)',
    '',
    'Final-Recipient: rfc822; late@receiver.test',
    'Original-Recipient: rfc822;late@receiver.test',
    `Action: ${action}`,
    `Status: ${status}`,
    `Diagnostic-Code: ${diagnostic}`,
    '',
    ...(messageId === undefined
      ? []
      : [
          '--AB12.1763/mail.example.net',
          'Content-Description: Undelivered Message Headers',
          'Content-Type: text/rfc822-headers',
          '',
          `Return-Path: <${to}>`,
          'From: waybill@example.org',
          `Message-ID: ${messageId}`,
          '',
        ]),
    '--AB12.1763/mail.example.net--',
    '',
  ];
  return Buffer.from(lines.join('\r\n'));
}
