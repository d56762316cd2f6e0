import type { VNode } from 'preact';
import type { RenderedMail } from '../src/domain/outbox/mail-templates.ts';
import {
  entriesParkedMail,
  questionMail,
  receiptMail,
  receivedMail,
  reportMail,
  testMail,
  undeliverableMail,
  webhookDisabledMail,
} from '../src/present/mails/account-mails.ts';
import type { MailContent } from '../src/present/mails/mail.tsx';
import { methodAddedMail, personInvitationMail, recoveryMail, signInMail } from '../src/present/mails/person-mails.ts';
import {
  codeMail,
  confirmationMail,
  dropMail,
  publicLinkMail,
  reminderMail,
  requestMail,
  requestReminderMail,
} from '../src/present/mails/receiver-mails.ts';
import { renderMail } from '../src/present/mails/render-mail.tsx';
import { type Operator } from '../src/present/operator.ts';
import type { Translator } from '../src/present/texts/translator.ts';
import { PublicPage, type PublicPageProps, publicPageTitle } from '../src/web/app/public-page/public-page.tsx';
import type { Sending } from '../src/web/contact/sendings.tsx';
import { SentPage, type SentPageProps, sentTitle } from '../src/web/contact/sent-page.tsx';
import {
  islandTexts,
  UploadPage,
  type UploadPageProps,
  type UploadProblem,
  uploadTitle,
} from '../src/web/contact/upload-page.tsx';
import { HomePage, homeTitle } from '../src/web/home/home-page.tsx';
import { CodePage, codeTitle } from '../src/web/links/code-page.tsx';
import { LinkLandingPage, linkLandingTitle } from '../src/web/links/link-landing-page.tsx';
import { StopPage, type StopPageProps, stopTitle } from '../src/web/links/stop-page.tsx';
import { WhichCodePage, WhichPage, whichCodeTitle, whichTitle } from '../src/web/links/which-page.tsx';
import { WholeLinkPage, wholeLinkTitle } from '../src/web/links/whole-link-page.tsx';
import {
  type DownloadFile,
  DownloadPage,
  type DownloadPageProps,
  downloadTitle,
} from '../src/web/receiver/download-page.tsx';
import type { Script } from '../src/web/shared/asset-sources.ts';
import type { Sender } from '../src/web/shared/components/sender.tsx';
import { ConfirmPage, confirmTitle } from '../src/web/shared/confirm-page.tsx';
import { ErrorPage, errorTitle } from '../src/web/shared/error-page.tsx';
import { type EndedLink, GonePage, type GonePageProps, goneTitle } from '../src/web/shared/gone-page.tsx';
import { VerifyPage, verifyTexts, verifyTitle } from '../src/web/verify/verify-page.tsx';
import { appStates } from './app-states.tsx';
import { composerStates } from './composer-states.tsx';
import { plainOperator } from './plain-operator.ts';
import { signInStates } from './sign-in-states.tsx';

/** Texts that other people wrote: the sender, a file's name, a message. Tests put attacks into all of them at once. */
export interface Foreign {
  /** The sender's address. */
  readonly sender: string;
  readonly senderName: string;
  readonly name: string;
  readonly message: string;
}

export interface PageState {
  readonly title: string;
  readonly page: VNode;
  readonly script?: Script;
  /** The frame that the page draws itself. */
  readonly layout?: 'app' | 'sign-in';
}

const ordinary: Foreign = {
  sender: 'dispatch@northwind.example',
  senderName: 'Northwind Plant 2',
  name: 'Delivery note 2291.pdf',
  message:
    'Hello,\n\nhere are the drawings and the delivery note for the order we spoke about. ' +
    'Please check the measurements on page 3 before Friday.\n\nBest regards\nKim',
};
/** Every known attack on pages like these, in every field at once. */
const attack =
  '"><script>alert(1)</script><img src=x onerror=alert(2)> {{7*7}} ${7*7} $t(common.from)\r\nBcc: a@evil.example';
export const hostile: Foreign = {
  sender: attack,
  senderName: attack,
  name: '</title><svg onload=alert(3)>\u202Efdp.exe\r\n{{sender}} 😀 تقرير.pdf',
  message:
    "<iframe src=javascript:alert(4)></iframe>\r\n.\r\n</p></td></table><style>*{display:none}</style>\n{{constructor.constructor('alert(5)')()}}\u0000\u0007",
};
const uploadProblems: readonly UploadProblem[] = [
  'no_files',
  'too_many_files',
  'too_large',
  'storage_full',
  'infected',
  'too_large_to_scan',
  'encrypted',
  'invalid_name',
  'files_not_ready',
  'cut_off',
];
const acme = { name: 'Acme Plant 2', address: 'plant2@acme.example' };
const longAddress =
  'maximiliana-konstantinopolitanskaja.von-und-zu-hohenzollern@subdivision.northwind-international-logistics.example';
const longName =
  'Northwind International Logistics and Warehousing Corporation, Dangerous Goods and Customs Clearance, Plant 2 (Gothenburg)';
const deadline = new Date('2026-11-21T14:30:00Z');
const reference = 'WB-7F3K-29QD';
const sentAt = new Date('2026-11-14T08:00:00Z');
const link = 'https://files.example.com/d/Kx3vQm8TzR1nYc5WbL7pHs2JdF9gAe4UoNtXiVqZkEw';
const stopLink = 'https://files.example.com/m/AZ3Dp0vmdlC3h1xKqFtY2bVn8sWcRj5oLgE7iTzXuMQ';
const sha256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

function files(first: string, count = 3): (DownloadFile & { name: string })[] {
  const others = ['Assembly drawing rev C.dwg', 'photos.zip', 'measurements.xlsx', 'README'];
  const sizes = [184_320, 7_340_032, 1_288_490_188, 52_111, 812];
  const scan = (index: number) => `scan-${String(index + 1).padStart(3, '0')}.tiff`;
  return Array.from({ length: count }, (_, index) => ({
    id: String(index),
    name: index === 0 ? first : (others[index - 1] ?? scan(index)),
    path: index === 0 ? first : (others[index - 1] ?? `scans/2026/${scan(index)}`),
    sizeBytes: sizes[index % sizes.length] ?? 1,
    sha256,
    href: `/d/files/${index}`,
    scan: index === 2 ? 'unscanned' : 'clean',
    complete: index === 1,
  }));
}

/** As an inspection of a building leaves them: some files by themselves, the others in folders. */
function sixtyFiles(complete = 0): (DownloadFile & { name: string })[] {
  const paths = [
    'Delivery note 2291.pdf',
    'Inspection report 2291, north wing.pdf',
    'List of open points after the inspection on 3 and 4 November, with dates and people responsible.xlsx',
    'Read me first.txt',
    'Certificates/Certificate of conformity, fire doors.pdf',
    'Certificates/Material certificates (locked).zip',
    'Certificates/Test report, pull-out strength of anchors in cracked concrete, laboratory Hollenbeck, 2026-10-28.pdf',
    'Certificates/Welder qualification.pdf',
    ...Array.from({ length: 9 }, (_, index) => `Drawings/2nd floor/A-10${index + 1} Floor plan.dwg`),
    ...Array.from({ length: 12 }, (_, index) => `Drawings/2nd floor/Electrical/E-${201 + index} Lighting, rev A.dwg`),
    ...Array.from({ length: 31 }, (_, index) => `Photos/${index < 18 ? 3 : 4} November/IMG_${20_261_103 + index}.jpg`),
  ];
  const sizes = [184_320, 2_440_000, 52_111, 2_900, 4_100_000];
  return paths.map((path, index) => ({
    id: String(index),
    name: path,
    path,
    sizeBytes: sizes[index % sizes.length] ?? 1,
    sha256,
    href: `/d/files/${index}`,
    scan: path.includes('locked') ? 'unscanned' : 'clean',
    complete: index < complete,
  }));
}

function sumSizes(list: readonly { sizeBytes: number }[]): number {
  return list.reduce((sum, file) => sum + file.sizeBytes, 0);
}

function sending(first: string, listed: number, fileCount = listed, day = 14): Sending {
  const list = files(first, listed);
  return { sentAt: new Date(Date.UTC(2026, 10, day, 9, 12)), files: list, fileCount, totalBytes: sumSizes(list) };
}

/** Every page in every state. */
export function pageStates(translator: Translator, foreign: Foreign = ordinary): Record<string, PageState> {
  const { sender, name, message } = foreign;
  const from = { name: foreign.senderName, address: sender };
  const asking = {
    question: 'more_time',
    sender: from.name,
    asked: false,
    action: '/d/ask',
    gesture: 'gesture',
  } as const;
  const download = (
    list: readonly DownloadFile[],
    text = message,
    props: Partial<DownloadPageProps> = {},
  ): PageState => {
    return {
      title: downloadTitle(translator, { sender: from }),
      page: (
        <DownloadPage
          sender={from}
          reference={reference}
          asking={asking}
          message={text}
          files={list}
          totalBytes={sumSizes(list)}
          allHref={list.length > 1 ? '/d/all.zip' : undefined}
          foldersHref="/d/folders"
          sumsHref="/d/SHA256SUMS"
          receiptHref="receipt"
          deliveredHref="/d/delivered"
          deadline={deadline}
          doneAction="/d/done"
          {...props}
        />
      ),
      script: 'download',
    };
  };
  const complete = { completedAt: new Date('2026-11-16T13:52:00Z'), asking: undefined };
  const code = (props: Partial<Parameters<typeof CodePage>[0]>): PageState => ({
    title: codeTitle(translator),
    page: (
      <CodePage
        kind="download"
        sender={from.name}
        channel="sms"
        target="+46 ••• ••• 42"
        action="/d/code"
        resendAction="/d/code/new"
        sentAt={new Date('2026-11-15T07:41:00Z')}
        validUntil={new Date('2026-11-15T07:51:00Z')}
        {...props}
      />
    ),
  });
  const wantedTitle = 'Handover of house 12';
  const wantedFiles = [
    { name: 'Signed contract', note: '', found: true },
    { name: 'Floor plans of all storeys', note: 'As DWG, one folder per storey', found: false },
    { name, note: message.slice(0, 80), found: false },
  ];
  const upload = (props: Partial<UploadPageProps> = {}, script?: 'upload'): PageState => ({
    title: uploadTitle(translator, { sender: from }),
    page: (
      <UploadPage
        sender={from}
        reference={reference}
        title={null}
        wanted={[]}
        message={message}
        deadline={deadline}
        once={false}
        plainAction="/u/plain"
        sendAction="/u/send"
        filesEndpoint="/u/files"
        tusEndpoint="/u/tus"
        draftKey="draft"
        doneAction="/u/done"
        received={[]}
        sent={[]}
        maxFiles={200}
        maxFileBytes={1e8}
        sizeReason="file"
        wordsJson={islandTexts(translator)}
        {...props}
      />
    ),
    ...(script ? { script } : {}),
  });
  const more = { href: '/u/more', until: deadline };
  const sent = (
    last: Sending,
    earlier: readonly Sending[] = [],
    to: Sender = from,
    props: Partial<SentPageProps> = { more },
  ): PageState => ({
    title: sentTitle(translator),
    page: (
      <SentPage
        sender={to}
        reference={reference}
        last={last}
        earlier={earlier}
        receiptHref="receipt"
        doneAction="/u/done"
        {...props}
      />
    ),
  });
  const landing = (
    kind: 'download' | 'upload',
    by: Sender = from,
    codeChannel?: 'sms' | 'mail',
    isMessage = false,
  ): PageState => ({
    title: linkLandingTitle(translator, { kind, sender: by, isMessage }),
    page: (
      <LinkLandingPage
        kind={kind}
        isMessage={isMessage}
        sender={by}
        sentAt={sentAt}
        codeChannel={codeChannel}
        action="/d/open"
        gesture="pressed"
      />
    ),
    script: 'gesture',
  });
  const confirm = (wrong: boolean): PageState => ({
    title: confirmTitle(translator),
    page: <ConfirmPage icon="download" action="/d/confirm" wrong={wrong} />,
  });
  const stop = (props: Pick<StopPageProps, 'stopped' | 'reported' | 'canReport'>, by: Sender = from): PageState => ({
    title: stopTitle(translator, { ...props, sender: by }),
    page: (
      <StopPage
        sender={by}
        address="kim@southwind.example"
        operator="Northwind Files"
        stopAction="/m/stop"
        resumeAction="/m/resume"
        reportAction="/m/report"
        gesture="gesture"
        {...props}
      />
    ),
  });
  const publicPage = (props: Partial<PublicPageProps> = {}, to: Sender = from): PageState => ({
    title: publicPageTitle(translator, { receiver: to, requested: props.requested ?? false }),
    page: (
      <PublicPage
        receiver={to}
        message=""
        operator="Northwind Files"
        csrf="csrf"
        action="/to/orders"
        requested={false}
        {...props}
      />
    ),
  });
  const gone = (reason: GonePageProps['reason'], about: Partial<GonePageProps> = {}): PageState => ({
    title: goneTitle(translator, { reason, ...about }),
    page: <GonePage reason={reason} {...about} />,
  });
  const ended = (kind: 'download' | 'upload', by: Sender = from): EndedLink => ({
    kind,
    sender: by,
    reference,
    sentAt,
    expiresAt: deadline,
    revokedAt: null,
  });
  const askAgain = { ...asking, question: 'send_again' } as const;
  const long = { name: longName, address: longAddress };
  const rightToLeft = { name: 'شركة الشحن الدولية (مستودع ٢)', address: sender };
  return {
    'landing-download': landing('download'),
    'landing-message': landing('download', from, undefined, true),
    'landing-upload': landing('upload'),
    'landing-code': landing('download', from, 'sms'),
    'landing-nameless': landing('download', { name: sender, address: sender }),
    'landing-long': landing('download', long),
    'landing-long-upload': landing('upload', { name: longAddress, address: longAddress }),
    'landing-right-to-left': landing('download', rightToLeft),
    'landing-upload-right-to-left': landing('upload', rightToLeft),
    'public-page': publicPage({ message }),
    'public-page-plain': publicPage({}, { name: sender, address: sender }),
    'public-page-problem': publicPage({ email: 'kim@', problem: 'email' }, long),
    'public-page-name': publicPage({ email: sender, name: 'Kim <kim@x>', problem: 'name' }, rightToLeft),
    'public-page-requested': publicPage({ email: longAddress, requested: true, message }),
    confirm: confirm(false),
    'confirm-wrong': confirm(true),
    'code-sms': code({}),
    'code-mail': code({ channel: 'mail', target: 'k•••@northwind.example' }),
    'code-upload': code({ kind: 'upload', sender: rightToLeft.name }),
    'code-mail-long': code({
      sender: long.name,
      channel: 'mail',
      target: longAddress.replace(/(?<=^.).*(?=@)/, '•••'),
      problem: 'expired',
    }),
    'code-new': code({ isNew: true }),
    'code-shape': code({ problem: 'shape' }),
    'code-wrong': code({ problem: 'wrong', triesLeft: 3 }),
    'code-expired': code({ problem: 'expired' }),
    'code-too-many-tries': code({ problem: 'too_many_tries' }),
    'code-too-many-codes': code({ problem: 'too_many_codes' }),
    'download-one': download(files(name, 1)),
    'download-some': download(files(name, 4)),
    'download-sixty': download(sixtyFiles(), `${message}\n\n`.repeat(4), { sender: acme }),
    'download-sixty-begun': download(sixtyFiles(17), '', { sender: acme }),
    'download-many': download(files(name, 200), ''),
    'download-done': download(
      files(name, 3).map((file) => ({ ...file, complete: true, scan: 'clean' })),
      message,
      { sender: acme, ...complete },
    ),
    'download-done-one': download(
      files(name, 1).map((file) => ({ ...file, complete: true })),
      message,
      complete,
    ),
    'download-hostile': pageHostile(translator),
    'download-long': download(
      files(`${'verylongname'.repeat(20)}ü.docx`, 3),
      `${message}\n\n`.repeat(24).slice(0, 5000),
      { sender: { name: longAddress, address: longAddress } },
    ),
    upload: upload(),
    'upload-received': upload({ received: files(name, 2) }),
    'upload-once': upload({ once: true }),
    'upload-again': upload({ sent: [sending(name, 3)] }),
    ...Object.fromEntries(
      uploadProblems.map((problem) => [
        `upload-problem-${problem.replaceAll('_', '-')}`,
        upload({ problem, written: message, received: problem === 'files_not_ready' ? files(name, 2) : [] }),
      ]),
    ),
    'upload-wanted': upload({ title: wantedTitle, wanted: wantedFiles }),
    'upload-island': upload({}, 'upload'),
    'upload-island-wanted': upload({ title: wantedTitle, wanted: wantedFiles, draftKey: 'wanted' }, 'upload'),
    'upload-island-folder': upload({ draftKey: 'folder' }, 'upload'),
    'upload-island-sixty': upload({ once: true, sender: acme, draftKey: 'sixty' }, 'upload'),
    'upload-island-leaving-out': upload(
      { once: true, maxFileBytes: 1000, sender: acme, draftKey: 'leaving-out' },
      'upload',
    ),
    'upload-island-too-large': upload({ maxFileBytes: 1e6, sender: acme, draftKey: 'too-large' }, 'upload'),
    sent: sent(sending(name, 3)),
    'sent-folders': sent({
      ...sending(name, 0),
      files: sixtyFiles(),
      fileCount: 60,
      totalBytes: sumSizes(sixtyFiles()),
    }),
    'sent-once': sent(sending(name, 1), [], from, {}),
    'sent-again': sent(sending(name, 1), [sending(name, 3, 3, 13), sending(name, 2, 2, 12)]),
    'sent-long': sent(sending(`${'long_name_'.repeat(12)}.docx`, 200, 812), [], {
      name: longAddress,
      address: longAddress,
    }),
    stop: stop({ stopped: false, reported: false, canReport: true }),
    'stop-only': stop({ stopped: false, reported: false, canReport: false }, long),
    'stop-right-to-left': stop({ stopped: false, reported: false, canReport: true }, rightToLeft),
    'stop-stopped': stop({ stopped: true, reported: false, canReport: true }),
    'stop-stopped-only': stop({ stopped: true, reported: false, canReport: false }, long),
    'stop-reported': stop({ stopped: true, reported: true, canReport: true }),
    'gone-expired': gone('expired'),
    'gone-revoked': gone('revoked'),
    'gone-used-up': gone('used_up', { link: ended('download') }),
    'gone-forbidden': gone('forbidden', { link: ended('download') }),
    'landing-shared': {
      title: linkLandingTitle(translator, { kind: 'download', sender: from }),
      page: (
        <LinkLandingPage
          kind="download"
          sender={from}
          sentAt={sentAt}
          shared={{ maxDownloads: 3 }}
          action="/d/open"
          gesture="pressed"
        />
      ),
      script: 'gesture',
    },
    which: {
      title: whichTitle(translator, from),
      page: <WhichPage sender={from} until={deadline} action="/d/which" gesture="pressed" />,
      script: 'gesture',
    },
    'which-wrong': {
      title: whichTitle(translator, from),
      page: (
        <WhichPage sender={from} until={deadline} action="/d/which" gesture="pressed" wrong={{ typed: 'kim.park' }} />
      ),
      script: 'gesture',
    },
    'which-code': {
      title: whichCodeTitle(translator),
      page: <WhichCodePage sender={from} action="/d/code" otherHref="/d/other" />,
    },
    'which-code-wrong': {
      title: whichCodeTitle(translator),
      page: <WhichCodePage sender={from} action="/d/code" otherHref="/d/other" problem="wrong" triesLeft={3} />,
    },
    'gone-not-opened': gone('not_opened'),
    'gone-unknown': gone('unknown'),
    'gone-cut-off': gone('cut_off', { cutOff: { place: '/d/', arrived: 'k7Yt3mQ9x', whole: 43 } }),
    'whole-link-foreign': {
      title: wholeLinkTitle(translator),
      page: <WholeLinkPage isForeign publicUrl="https://files.northwind.example" />,
    },
    'gone-too-many': gone('too_many'),
    'gone-busy': gone('busy'),
    'gone-closed': gone('closed'),
    'gone-expired-ask': gone('expired', { link: ended('download'), asking: askAgain }),
    'gone-expired-asked': gone('expired', { link: ended('download'), asking: { ...askAgain, asked: true } }),
    'gone-expired-upload': gone('expired', {
      link: ended('upload', long),
      asking: { ...askAgain, sender: long.name },
    }),
    'gone-revoked-link': gone('revoked', {
      link: { ...ended('download', rightToLeft), revokedAt: complete.completedAt },
      asking: { ...askAgain, sender: rightToLeft.name, isRevoked: true },
    }),
    'gone-nothing': gone('nothing'),
    'gone-not-yours': gone('not_yours'),
    'gone-machines': gone('machines'),
    'gone-refused': gone('refused'),
    home: {
      title: homeTitle(translator),
      page: (
        <HomePage
          operator="Northwind Files"
          publicUrl="https://files.northwind.example"
          mailFrom="files@northwind.example"
          support="help@northwind.example"
          apiDescription="/docs"
          signInHref="/"
        />
      ),
    },
    verify: {
      title: verifyTitle(translator),
      page: (
        <VerifyPage
          policy={
            'log files.northwind.example/log/1+cf1b410e+AddamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea\nquorum none\n'
          }
          textsJson={verifyTexts(translator)}
        />
      ),
    },
    error: { title: errorTitle(translator), page: <ErrorPage requestId="req-01JCQ4W8Z7" /> },
    'error-support': {
      title: errorTitle(translator),
      page: <ErrorPage requestId="req-01JCQ4W8Z7" support="help@northwind.example" />,
    },
    ...signInStates(translator, foreign),
    ...appStates(translator, foreign),
    ...composerStates(translator, foreign),
  };
}

function pageHostile(translator: Translator): PageState {
  const list = files(hostile.name, 2);
  const hostileSender = { name: hostile.senderName, address: hostile.sender };
  return {
    title: downloadTitle(translator, { sender: hostileSender }),
    script: 'download',
    page: (
      <DownloadPage
        sender={hostileSender}
        reference={reference}
        message={hostile.message}
        files={list}
        totalBytes={sumSizes(list)}
        allHref="/d/all.zip"
        foldersHref="/d/folders"
        sumsHref="/d/SHA256SUMS"
        receiptHref="receipt"
        deliveredHref="/d/delivered"
        deadline={deadline}
        doneAction="/d/done"
      />
    ),
  };
}

/** Every mail there is. */
export function mailStates(
  translator: Translator,
  foreign: Foreign = ordinary,
  operator: Operator = plainOperator,
): Record<string, RenderedMail> {
  const { sender, name, message } = foreign;
  const to = 'kim@southwind.example';
  const { senderName } = foreign;
  const linked = { to, reference, sender, senderName, deadline, link, stopLink };
  const personLink = {
    operatorName: 'Northwind Files',
    link: 'https://files.example.com/sign-in/link/Kx3vQm8TzR1nYc5WbL7pHs2JdF9gAe4UoNtXiVqZkEw',
    deadline: new Date('2026-11-21T14:30:00Z'),
  };
  const mailed = (count: number) =>
    files(name, count).map((file) => ({ ...file, unscannedReason: file.unscannedReason ?? null }));
  const clean = mailed(3).map((file) => ({ ...file, scan: 'clean' as const }));
  const list = { files: clean, fileCount: 3, totalBytes: sumSizes(clean), unscannedCount: 0 };
  const mixed = { ...list, files: mailed(3), unscannedCount: 1 };
  const one = { files: mailed(1), fileCount: 1, totalBytes: sumSizes(files(name, 1)), unscannedCount: 0 };
  const many = { files: mailed(5), fileCount: 60, totalBytes: 4.2e9, unscannedCount: 3 };
  const requested = { ...linked, message, link: link.replace('/d/', '/u/') };
  const webhook = { url: 'https://northwind.example/hooks/waybill', since: new Date('2026-11-09T08:00:00Z') };
  const told = { settingsLink: 'https://files.example.com/orders@acme.example/settings#notifications', more: 0 };
  const forAccount = { to, reference, page: undefined, told: undefined };
  const question = { ...forAccount, isRequest: false, isRevoked: false, receiver: sender, deadline };
  const signedIn = {
    to,
    operatorName: 'Northwind Files',
    link: 'https://files.example.com/maya.lindqvist@acme.example/settings#sessions',
    address: '192.0.2.44',
    userAgent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Gecko/20100101 Firefox/144.0',
    at: new Date('2026-11-14T08:00:00Z'),
  };
  const appPage = 'https://files.example.com/kim%40southwind.example/sent/01a1ed12-fe1c-7560-98f2-1ca52cd0b46a';
  const asked = { title: 'Handover of house 12', wanted: [{ name: 'Floor plans' }, { name: 'Signed contract' }] };
  const mailTemplates: Record<string, MailContent> = {
    drop: dropMail(translator, { ...linked, ...list, message }),
    'drop-one': dropMail(translator, { ...linked, ...one, message: '' }),
    'drop-many': dropMail(translator, { ...linked, ...many, message: `${message}\n\n`.repeat(5) }),
    'drop-mixed': dropMail(translator, { ...linked, ...mixed, message }),
    'drop-unscanned': dropMail(translator, { ...linked, ...one, unscannedCount: 1, message: '' }),
    request: requestMail(translator, { ...requested, ...asked, reusable: true }),
    'request-once': requestMail(translator, { ...requested, title: '', wanted: [], reusable: false }),
    'request-reminder': requestReminderMail(translator, { ...requested, ...asked, reusable: true }),
    code: codeMail(translator, { to, code: '482913', minutes: 10, senderName }),
    receipt: receiptMail(translator, {
      ...forAccount,
      receiver: sender,
      ...list,
      sentAt,
      openedAt: new Date('2026-11-14T09:07:00Z'),
      completedAt: new Date('2026-11-14T09:12:00Z'),
      shownTo: ['maya.lindqvist@acme.example'],
      page: appPage,
    }),
    reminder: reminderMail(translator, { ...linked, ...list }),
    'more-time': questionMail(translator, { ...question, question: 'more_time', page: appPage }),
    'more-time-command': questionMail(translator, { ...question, question: 'more_time' }),
    'send-again': questionMail(translator, { ...question, question: 'send_again' }),
    'send-again-revoked': questionMail(translator, { ...question, question: 'send_again', isRevoked: true }),
    'send-again-request': questionMail(translator, { ...question, question: 'send_again', isRequest: true }),
    undeliverable: undeliverableMail(translator, {
      ...forAccount,
      receiver: sender,
      response: '550 5.1.1 <dispatch@northwind.example>: Recipient address rejected: User unknown',
      sentAt: new Date('2026-11-14T08:00:00Z'),
      ...list,
    }),
    'undeliverable-shared': undeliverableMail(translator, {
      ...forAccount,
      receiver: sender,
      response: '550 5.1.1 <dispatch@northwind.example>: Recipient address rejected: User unknown',
      sentAt: new Date('2026-11-14T08:00:00Z'),
      ...list,
      page: appPage,
      told: { ...told, sharedAccount: 'Acme Plant 2', more: 1 },
    }),
    stopped: undeliverableMail(translator, {
      ...forAccount,
      receiver: sender,
      response: undefined,
      sentAt: new Date('2026-11-14T08:00:00Z'),
      ...list,
    }),
    report: reportMail(translator, {
      to: 'support@northwind.example',
      reference,
      reporter: to,
      sender,
      senderName,
      sentAt: new Date('2026-11-14T08:00:00Z'),
    }),
    test: testMail(translator, { to }),
    'person-invitation': personInvitationMail(translator, {
      to,
      ...personLink,
      inviter: { name: senderName, email: sender },
      account: { name: 'Acme Plant 2', email: 'plant2@acme.example' },
    }),
    'person-invitation-operator': personInvitationMail(translator, {
      to,
      ...personLink,
      inviter: undefined,
      account: { name: '', email: to },
    }),
    recovery: recoveryMail(translator, { to, ...personLink }),
    'sign-in': signInMail(translator, signedIn),
    'method-added': methodAddedMail(translator, {
      ...signedIn,
      added: { kind: 'identity', provider: 'Acme SSO', label: senderName },
    }),
    'method-added-password': methodAddedMail(translator, { ...signedIn, added: { kind: 'password' } }),
    'webhook-gone': webhookDisabledMail(translator, { to, ...webhook, reason: 'gone' }),
    'webhook-failing': webhookDisabledMail(translator, { to, ...webhook, reason: 'failing' }),
    parked: entriesParkedMail(translator, { to, count: 3, attempts: 10, page: undefined }),
    'parked-members': entriesParkedMail(translator, {
      to,
      count: 1,
      attempts: 10,
      page: 'https://files.example.com/ap%40example.com/inbox',
    }),
    received: receivedMail(translator, {
      ...forAccount,
      contact: sender,
      message,
      deadline,
      isUnsolicited: false,
      ...list,
    }),
    'received-unsolicited': receivedMail(translator, {
      ...forAccount,
      contact: sender,
      message,
      deadline,
      isUnsolicited: true,
      ...list,
    }),
    'received-shared': receivedMail(translator, {
      ...forAccount,
      contact: sender,
      message,
      deadline,
      isUnsolicited: false,
      ...list,
      page: appPage,
      told: { ...told, sharedAccount: 'Acme Plant 2', more: 11 },
    }),
    'received-message': receivedMail(translator, {
      ...forAccount,
      contact: sender,
      message,
      deadline,
      isUnsolicited: false,
      files: [],
      fileCount: 0,
      totalBytes: 0,
      unscannedCount: 0,
      page: appPage,
      told: { ...told, sharedAccount: undefined },
    }),
    'public-link': publicLinkMail(translator, { to, reference, sender, senderName, deadline, link, stopLink }),
    confirmation: confirmationMail(translator, {
      to,
      reference,
      receiver: senderName,
      message,
      ...list,
      sentAt: new Date('2026-11-14T09:12:00Z'),
      stopLink,
    }),
  };
  return Object.fromEntries(
    Object.entries(mailTemplates).map(([state, mail]) => [state, renderMail(translator, operator, mail)]),
  );
}
