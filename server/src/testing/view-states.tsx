import type { VNode } from 'preact';
import type { RenderedMail } from '../views/components/letter.tsx';
import { codeMail } from '../views/mails/code-mail.ts';
import { dropMail } from '../views/mails/drop-mail.ts';
import { grantMail } from '../views/mails/grant-mail.ts';
import { receiptMail } from '../views/mails/receipt-mail.ts';
import { receivedMail } from '../views/mails/received-mail.ts';
import { reminderMail } from '../views/mails/reminder-mail.ts';
import { CodePage, codeTitle } from '../views/pages/code-page.tsx';
import { ConfirmPage, confirmTitle } from '../views/pages/confirm-page.tsx';
import { type DownloadFile, DownloadPage, downloadTitle } from '../views/pages/download-page.tsx';
import { ErrorPage, errorTitle } from '../views/pages/error-page.tsx';
import { GonePage, type GonePageProps, goneTitle } from '../views/pages/gone-page.tsx';
import { LinkLandingPage, linkLandingTitle } from '../views/pages/link-landing-page.tsx';
import { SentPage, sentTitle } from '../views/pages/sent-page.tsx';
import {
  islandTexts,
  UploadPage,
  type UploadPageProps,
  type UploadProblem,
  uploadTitle,
} from '../views/pages/upload-page.tsx';
import type { Words } from '../views/words.ts';

/** What somebody else wrote: the sender, a file's name, a message. Tests put attacks into all of them at once. */
export interface Foreign {
  readonly sender: string;
  readonly name: string;
  readonly message: string;
}

export interface PageState {
  readonly title: string;
  readonly page: VNode;
  readonly script?: 'gesture' | 'upload';
}

const ordinary: Foreign = {
  sender: 'dispatch@northwind.example',
  name: 'Delivery note 2291.pdf',
  message:
    'Hello,\n\nhere are the drawings and the delivery note for the order we spoke about. ' +
    'Please check the measurements on page 3 before Friday.\n\nBest regards\nKim',
};
/** All that was ever thrown at a page like these, in every field at once. */
export const hostile: Foreign = {
  sender:
    '"><script>alert(1)</script><img src=x onerror=alert(2)> {{7*7}} ${7*7} $t(common.from)\r\nBcc: a@evil.example',
  name: '</title><svg onload=alert(3)>\u202Efdp.exe\r\n{{sender}} 😀 تقرير.pdf',
  message:
    "<iframe src=javascript:alert(4)></iframe>\r\n.\r\n</p></td></table><style>*{display:none}</style>\n{{constructor.constructor('alert(5)')()}}\u0000\u0007",
};
const uploadProblems: readonly UploadProblem[] = [
  'no_files',
  'too_many_files',
  'too_large',
  'infected',
  'too_large_to_scan',
  'encrypted',
  'invalid_name',
  'files_not_ready',
  'cut_off',
];
const longAddress =
  'maximiliana-konstantinopolitanskaja.von-und-zu-hohenzollern@subdivision.northwind-international-logistics.example';
const deadline = new Date('2026-11-21T14:30:00Z');
const link = 'https://files.example.com/d/Kx3vQm8TzR1nYc5WbL7pHs2JdF9gAe4UoNtXiVqZkEw';
const sha256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

function files(first: string, count = 3): DownloadFile[] {
  const others = ['Assembly drawing rev C.dwg', 'photos.zip', 'measurements.xlsx', 'README'];
  const sizes = [184_320, 7_340_032, 1_288_490_188, 52_111, 812];
  return Array.from({ length: count }, (_, index) => ({
    name: index === 0 ? first : (others[index - 1] ?? `scan-${String(index + 1).padStart(3, '0')}.tiff`),
    sizeBytes: sizes[index % sizes.length] ?? 1,
    sha256,
    href: `/d/files/${index}`,
    scan: index === 2 ? 'unscanned' : 'clean',
    complete: index === 1,
  }));
}

function totalOf(list: readonly { sizeBytes: number }[]): number {
  return list.reduce((sum, file) => sum + file.sizeBytes, 0);
}

/** Every page in every state there is. */
export function pageStates(words: Words, foreign: Foreign = ordinary): Record<string, PageState> {
  const { sender, name, message } = foreign;
  const download = (count: number, text = message, first = name): PageState => {
    const list = files(first, count);
    return {
      title: downloadTitle(words, { sender }),
      page: (
        <DownloadPage
          sender={sender}
          message={text}
          files={list}
          totalBytes={totalOf(list)}
          allHref={count > 1 ? '/d/all.zip' : undefined}
          deadline={deadline}
          doneAction="/d/done"
        />
      ),
    };
  };
  const code = (props: Partial<Parameters<typeof CodePage>[0]>): PageState => ({
    title: codeTitle(words),
    page: <CodePage channel="sms" target="+46 ••• ••• 42" action="/d/code" resendAction="/d/code/new" {...props} />,
  });
  const upload = (props: Partial<UploadPageProps> = {}, script?: 'upload'): PageState => ({
    title: uploadTitle(words, { sender }),
    page: (
      <UploadPage
        sender={sender}
        message={message}
        deadline={deadline}
        plainAction="/u/plain"
        sendAction="/u/send"
        filesEndpoint="/u/files"
        tusEndpoint="/u/tus"
        doneAction="/u/done"
        received={[]}
        maxFiles={200}
        maxFileBytes={5e12}
        wordsJson={islandTexts(words)}
        {...props}
      />
    ),
    ...(script ? { script } : {}),
  });
  const landing = (kind: 'download' | 'upload'): PageState => ({
    title: linkLandingTitle(words, { kind }),
    page: <LinkLandingPage kind={kind} sender={sender} action="/d/open" gesture="pressed" />,
    script: 'gesture',
  });
  const confirm = (wrong: boolean): PageState => ({
    title: confirmTitle(words),
    page: <ConfirmPage kind="download" word="harbour" action="/d/confirm" wrong={wrong} />,
  });
  const gone = (reason: GonePageProps['reason']): PageState => ({
    title: goneTitle(words, { reason }),
    page: <GonePage reason={reason} />,
  });
  return {
    'landing-download': landing('download'),
    'landing-upload': landing('upload'),
    confirm: confirm(false),
    'confirm-wrong': confirm(true),
    'code-sms': code({}),
    'code-mail': code({ channel: 'mail', target: 'k•••@northwind.example' }),
    'code-mail-long': code({
      channel: 'mail',
      target: longAddress.replace(/(?<=^.).*(?=@)/, '•••'),
      problem: 'expired',
    }),
    'code-wrong': code({ problem: 'wrong', triesLeft: 3 }),
    'code-expired': code({ problem: 'expired' }),
    'code-too-many-tries': code({ problem: 'too_many_tries' }),
    'code-too-many-codes': code({ problem: 'too_many_codes' }),
    'download-one': download(1),
    'download-some': download(4),
    'download-many': download(200, ''),
    'download-hostile': pageHostile(words),
    'download-long': download(3, `${message}\n\n`.repeat(24).slice(0, 5000), `${'verylongname'.repeat(20)}ü.docx`),
    upload: upload(),
    'upload-received': upload({ received: files(name, 2) }),
    ...Object.fromEntries(
      uploadProblems.map((problem) => [
        `upload-problem-${problem.replaceAll('_', '-')}`,
        upload({ problem, written: message, received: problem === 'files_not_ready' ? files(name, 2) : [] }),
      ]),
    ),
    'upload-island': upload({}, 'upload'),
    sent: { title: sentTitle(words), page: <SentPage sender={sender} files={files(name, 3)} doneAction="/u/done" /> },
    'sent-long': {
      title: sentTitle(words),
      page: (
        <SentPage sender={longAddress} files={files(`${'long_name_'.repeat(12)}.docx`, 200)} doneAction="/u/done" />
      ),
    },
    'gone-expired': gone('expired'),
    'gone-revoked': gone('revoked'),
    'gone-unknown': gone('unknown'),
    'gone-too-many': gone('too_many'),
    'gone-busy': gone('busy'),
    'gone-closed': gone('closed'),
    error: { title: errorTitle(words), page: <ErrorPage requestId="req-01JCQ4W8Z7" /> },
  };
}

function pageHostile(words: Words): PageState {
  const list = files(hostile.name, 2);
  return {
    title: downloadTitle(words, hostile),
    page: (
      <DownloadPage
        sender={hostile.sender}
        message={hostile.message}
        files={list}
        totalBytes={totalOf(list)}
        allHref="/d/all.zip"
        deadline={deadline}
        doneAction="/d/done"
      />
    ),
  };
}

/** Every mail there is. */
export function mailStates(words: Words, foreign: Foreign = ordinary): Record<string, RenderedMail> {
  const { sender, name, message } = foreign;
  const list = files(name, 3);
  return {
    drop: dropMail(words, { sender, message, files: list, fileCount: 15, totalBytes: 4.2e9, deadline, link }),
    'drop-one': dropMail(words, {
      sender,
      message: '',
      files: files(name, 1),
      fileCount: 1,
      totalBytes: 9e5,
      deadline,
      link,
    }),
    grant: grantMail(words, { sender, message, deadline, link: link.replace('/d/', '/u/') }),
    code: codeMail(words, { code: '482913', minutes: 10, sender }),
    receipt: receiptMail(words, {
      receiver: sender,
      files: list,
      sentAt: new Date('2026-11-14T08:00:00Z'),
      completedAt: new Date('2026-11-14T09:12:00Z'),
    }),
    reminder: reminderMail(words, { sender, files: list, fileCount: 3, deadline, link }),
    received: receivedMail(words, { contact: sender, message, files: list, fileCount: 3, totalBytes: 4.2e9, deadline }),
  };
}
