import type { VNode } from 'preact';
import type { ListedContact } from '../src/domain/contacts/contact-store.ts';
import type { Translator } from '../src/present/texts/translator.ts';
import { AboutPage, aboutTitle } from '../src/web/app/about/about-page.tsx';
import type { AppFrameProps, Screen } from '../src/web/app/components/app-frame.tsx';
import { Toast } from '../src/web/app/components/toast.tsx';
import {
  ContactImportPage,
  contactImportTitle,
  type ImportPreview,
} from '../src/web/app/contacts/contact-import-page.tsx';
import { ContactsPage, type ContactsPageProps, contactsTitle } from '../src/web/app/contacts/contact-list-page.tsx';
import { ContactsNotice } from '../src/web/app/contacts/contacts-notice.tsx';
import {
  NewContactPage,
  type NewContactPageProps,
  newContactTitle,
} from '../src/web/app/contacts/new-contact-page.tsx';
import type { OpenContact } from '../src/web/app/contacts/open-contact.tsx';
import { BlockSenderPage, blockSenderTitle } from '../src/web/app/inbox/block-sender-page.tsx';
import type { InboxEntryProps } from '../src/web/app/inbox/inbox-entry.tsx';
import { type InboxLine, InboxPage, type InboxPageProps, inboxTitle } from '../src/web/app/inbox/inbox-page.tsx';
import {
  RequestFormPage,
  type RequestFormPageProps,
  requestFormTexts,
  requestFormTitle,
} from '../src/web/app/requests/request-form-page.tsx';
import { type RequestLine, RequestsPage, type RequestsPageProps } from '../src/web/app/requests/request-list-page.tsx';
import {
  type RequestContact,
  RequestPage,
  type RequestPageProps,
  requestTitle,
} from '../src/web/app/requests/request-page.tsx';
import { emptyValues } from '../src/web/app/send/composer-values.ts';
import type { DropFile, FileHolders } from '../src/web/app/sent/drop-files.tsx';
import { type SentLine, SentListPage } from '../src/web/app/sent/drop-list-page.tsx';
import { DropPage, type DropPageProps, dropTitle } from '../src/web/app/sent/drop-page.tsx';
import type { SentItemReceiver } from '../src/web/app/sent/drop-receivers.tsx';
import { SelectionPage, type SelectionPageProps, selectionTitle } from '../src/web/app/sent/selection-page.tsx';
import type { HistoryEntry } from '../src/web/app/sent/sent-history.tsx';
import type { SentItem } from '../src/web/app/sent/sent-item.tsx';
import { type SentListProps, sentListTitle } from '../src/web/app/sent/sent-list.tsx';
import { SentNotices } from '../src/web/app/sent/sent-notice.tsx';
import { describeRequestProblem } from '../src/web/app/shared/composer-problem.ts';
import { WelcomePage, type WelcomePageProps, welcomeTitle } from '../src/web/app/welcome/welcome-page.tsx';
import { ListComponents, ListNotices } from './list-component-states.tsx';
import { ExampleFrame } from './sign-in-states.tsx';
import type { Foreign, PageState } from './view-states.tsx';

const now = new Date('2026-11-16T11:30:00Z');
const base = '/maya.lindqvist@acme.example/';
const common = { base, csrf: 'a1b2c3', now, canChange: true } as const;
const hours = (count: number) => new Date(now.getTime() - count * 3_600_000);
const days = (count: number) => new Date(now.getTime() + count * 86_400_000);
const toId = (index: number) => `0199c1d2-7f00-7000-8000-${String(index).padStart(12, '0')}`;
const kim = { name: 'Kim Park', email: 'kim.park@northwind.example' };
const tomas = { name: 'Tomás Ortega', email: 't.ortega@northwind.example' };
const ines = { name: 'Ines Albrecht', email: 'ines@albrecht-legal.example' };
const nameless = { name: null, email: 'legal@northwind.example' };
const arabic = { name: 'شركة الشحن الدولية (مستودع ٢)', email: 'shipping@harbour.example' };
const long = {
  name: 'Northwind International Logistics and Warehousing Corporation, Dangerous Goods and Customs Clearance (Gothenburg)',
  email:
    'maximiliana-konstantinopolitanskaja.von-und-zu-hohenzollern@subdivision.northwind-international-logistics.example',
};
const longFile = `${'Structural inspection of the north wing '.repeat(4)}(signed by both parties).pdf`;
const userUnknown = '550 5.1.1 <t.ortega@northwind.example>: Recipient address rejected: User unknown';
const nobody = { notifiedAt: null, undeliverableAt: null, openedAt: null, completedAt: null, revokedAt: null } as const;
const choices = { days: [7, 14, 30], min: '2026-11-24', max: '2027-02-14' } as const;

function toHolders(deliveredTo: FileHolders['deliveredTo']): FileHolders {
  return { deliveredCount: deliveredTo.length, deliveredTo, partlyCount: 0, partlyTo: [] };
}

/** Thirty files of a house that is handed over. */
function houseFiles(): InboxEntryProps['files'] {
  const photos = (name: string, count: number) =>
    Array.from({ length: count }, (_, index) => `Photos/${name}/IMG_${index + 1}.jpg`);
  const plans = Array.from({ length: 11 }, (_, index) => `Plans/Storey ${index + 1}.dwg`);
  return ['Contract 4711, signed.pdf', ...plans, ...photos('Facade', 6), ...photos('Roof', 12)].map((path, index) => ({
    id: toId(index),
    path,
    sizeBytes: 2.1e6 + index * 4e5,
    scan: 'clean',
    isDownloaded: index < 12,
  }));
}

/** A thousand files in fifty folders, as for a tender. */
function largeFiles(): DropFile[] {
  const parts = [
    ['General conditions', 1, 18],
    ['Drawings', 21, 412],
    ['Bills of quantities', 4, 64],
    ['Soil survey', 9, 156],
    ['Site photos', 12, 306],
    ['Forms to fill in', 3, 43],
  ] as const;
  const paths = [
    'Read me first.pdf',
    ...parts.flatMap(([name, folders, files], part) =>
      Array.from({ length: files }, (_, index) => {
        const inner = folders === 1 || index % folders === 0 ? '' : `Section ${index % folders}/`;
        return `0${part + 1} ${name}/${inner}Sheet ${index + 1}.${part === 4 ? 'jpg' : 'pdf'}`;
      }),
    ),
  ];
  return paths.map((path, index) => ({
    id: toId(index),
    path,
    sizeBytes: 240e3 + index * 13e3,
    scan: index === 500 ? 'unscanned' : 'clean',
    holders: { ...toHolders([kim, ines]), deliveredCount: 61 + (index % 5) },
  }));
}

function sentLines(foreign: Foreign): SentLine[] {
  const lines: (Partial<SentLine> & Pick<SentLine, 'firstReceiver'>)[] = [
    {
      firstReceiver: kim,
      receivers: 3,
      delivered: 2,
      opened: 2,
      downloaded: 1,
      undeliverable: 1,
      fileCount: 4,
      totalBytes: 983e6,
      createdAt: hours(2),
    },
    {
      firstReceiver: ines,
      delivered: 1,
      opened: 1,
      createdAt: hours(3),
      firstFile: 'Lease agreement, final.pdf',
    },
    {
      firstReceiver: { name: 'Auditors', email: 'auditors@acme.example' },
      receivers: 3,
      delivered: 3,
      opened: 3,
      downloaded: 2,
      fileCount: 12,
      totalBytes: 214e6,
      createdAt: hours(26),
    },
    {
      firstReceiver: tomas,
      delivered: 1,
      createdAt: hours(30),
      firstFile: 'Harbour crane, load test.mp4',
    },
    {
      firstReceiver: { name: 'Harborline Shipping', email: 'office@harborline.example' },
      delivered: 1,
      opened: 1,
      downloaded: 1,
      createdAt: hours(72),
      firstFile: 'Customs forms week 46.zip',
    },
    { firstReceiver: nameless, fileCount: 0, firstFile: null, createdAt: hours(96) },
    {
      firstReceiver: { name: 'Elif Demir', email: 'elif@kranbau.example' },
      state: 'expired',
      delivered: 1,
      createdAt: hours(200),
      firstFile: 'Offer 4711, revised.pdf',
    },
    {
      firstReceiver: { name: 'Yuki Tanabe', email: 'y@harborline.example' },
      state: 'revoked',
      receivers: 2,
      delivered: 2,
      opened: 1,
      createdAt: hours(400),
      fileCount: 3,
      totalBytes: 48e6,
    },
    {
      firstReceiver: { name: 'Site team', email: 'site@acme.example' },
      notify: false,
      receivers: 6,
      createdAt: hours(9000),
      firstFile: 'Safety briefing.pdf',
    },
    {
      firstReceiver: arabic,
      delivered: 1,
      opened: 1,
      createdAt: hours(9100),
      firstFile: 'تقرير التسليم النهائي.pdf',
    },
    {
      firstReceiver: long,
      receivers: 1200,
      delivered: 1180,
      opened: 900,
      downloaded: 899,
      undeliverable: 20,
      createdAt: hours(9200),
      firstFile: longFile,
    },
    {
      firstReceiver: { name: foreign.senderName, email: foreign.sender },
      delivered: 1,
      createdAt: hours(9300),
      firstFile: foreign.name,
    },
  ];
  return lines.map((line, index) => {
    const { state = 'live', receivers: count = 1, downloaded = 0 } = line;
    return {
      id: toId(index),
      title: index === 2 ? 'Lease agreement, signed by everybody' : null,
      reference: `WB-7F3K-29Q${index.toString(36).toUpperCase()}`,
      createdAt: now,
      expiresAt: days(index === 0 ? 0.2 : 7 - index / 2 + 5),
      state,
      notify: true,
      receivers: count,
      waiting: count - downloaded,
      delivered: 0,
      undeliverable: 0,
      opened: 0,
      downloaded,
      fileCount: 1,
      totalBytes: 2e6,
      firstFile: 'Delivery note.pdf',
      isRestorable: state === 'revoked',
      ...line,
    };
  });
}

function receivers(): SentItemReceiver[] {
  return [
    {
      ...nobody,
      ...kim,
      position: 0,
      undeliverableReason: null,
      notifiedAt: hours(2.3),
      openedAt: hours(1.8),
      completedAt: hours(1.5),
    },
    { ...nobody, ...tomas, position: 1, undeliverableAt: hours(2.2), undeliverableReason: userUnknown },
    { ...nobody, ...ines, position: 2, undeliverableReason: null, notifiedAt: hours(2.3), openedAt: hours(0.2) },
  ];
}

const history: HistoryEntry[] = [
  { at: hours(0.1), kind: 'downloaded', name: 'Ines Albrecht', detail: 'Structural inspection 2291.pdf' },
  { at: hours(0.2), kind: 'opened', name: 'Ines Albrecht' },
  { at: hours(1), kind: 'linkShown', name: 'Kim Park', by: 'Maya Lindqvist' },
  { at: hours(1.5), kind: 'completed', name: 'Kim Park', detail: '203.0.113.24' },
  { at: hours(2.2), kind: 'undeliverable', name: 'Tomás Ortega', detail: userUnknown },
  { at: hours(30), kind: 'sent', by: 'Maya Lindqvist' },
];

function inboxLines(foreign: Foreign): InboxLine[] {
  const line = (index: number, more: Partial<InboxLine>): InboxLine => ({
    id: toId(index),
    sender: kim,
    title: null,
    message: '',
    receivedAt: hours(index * 20 + 0.6),
    fileCount: 1,
    totalBytes: 220e3,
    isUnread: false,
    state: 'available',
    requestReference: null,
    isUnsolicited: false,
    ...more,
  });
  return [
    line(0, {
      isUnread: true,
      message: 'Signed contract and site photos\n\nHi Maya',
      fileCount: 23,
      totalBytes: 312e6,
      requestReference: 'WB-C2M1-ENKD',
    }),
    line(1, {
      isUnread: true,
      sender: { name: 'p.moreau@atelier-sud.example', email: 'p.moreau@atelier-sud.example' },
      isUnsolicited: true,
    }),
    line(2, { sender: { name: 'Elif Demir', email: 'elif@kranbau.example' }, message: 'Quotation for the crane' }),
    line(3, { sender: ines, title: 'Comments on the lease', message: 'Hello,', fileCount: 0 }),
    line(4, { sender: arabic, message: 'تقرير التسليم النهائي للمشروع الكبير', state: 'claimed' }),
    line(5, { sender: long, message: longFile.repeat(3), state: 'parked' }),
    line(6, { sender: { name: foreign.senderName, email: foreign.sender }, message: foreign.message }),
  ];
}

function inboxEntry(foreign: Foreign, more: Partial<InboxEntryProps> = {}): InboxEntryProps {
  const names = [
    foreign.name,
    'Annex A, prices.xlsx',
    'Overview north wing.jpg',
    longFile,
    'Roof/2026/IMG_0001.jpg',
    'تقرير.pdf',
  ];
  return {
    id: toId(0),
    sender: { name: foreign.senderName, email: foreign.sender },
    title: 'Drawings of the north wing',
    message: foreign.message,
    receivedAt: hours(0.6),
    expiresAt: days(28),
    state: 'available',
    isUnsolicited: false,
    request: { id: toId(40), reference: 'WB-C2M1-ENKD' },
    wanted: [
      { name: 'Floor plans of all storeys', note: '', found: true },
      { name: 'Signed contract', note: '', found: true },
      { name: 'Photos of the roof', note: '', found: false },
    ],
    files: names.map((path, index) => ({
      id: String(index),
      path,
      sizeBytes: [2.1e6, 88e3, 6.4e6, 1.2e9, 5.9e6, 900][index] ?? 1,
      scan: index === 3 ? 'unscanned' : 'clean',
      isDownloaded: index === 1,
      wanted: index === 0 ? 0 : null,
    })),
    selectsAll: false,
    reportHref: `${base}inbox/${toId(0)}/report`,
    ...more,
  };
}

function requestLines(foreign: Foreign): RequestLine[] {
  const line = (index: number, more: Partial<RequestLine>): RequestLine => ({
    id: toId(index),
    reference: `WB-C2M1-ENK${index.toString(36).toUpperCase()}`,
    title: null,
    message: 'Quotation for the crane',
    createdAt: hours(40 + index * 24),
    expiresAt: days(16 - index),
    state: 'live',
    reusable: false,
    notify: true,
    firstReceiver: kim,
    receivers: 1,
    waiting: 1,
    filesReceived: 0,
    isRestorable: false,
    ...more,
  });
  return [
    line(0, {
      message: 'Insurance certificate 2027\nPlease send it by Friday.',
      expiresAt: days(1),
      firstReceiver: { name: 'Rahul Mehta', email: 'rahul@sensorik.example' },
    }),
    line(1, { message: 'Signed contract and photos of the site', receivers: 2, waiting: 1, filesReceived: 23 }),
    line(2, { firstReceiver: { name: 'Elif Demir', email: 'elif@kranbau.example' }, waiting: 0, filesReceived: 1 }),
    line(3, { message: 'Time sheets, every month', reusable: true, receivers: 6, waiting: 2, filesReceived: 11 }),
    line(4, { message: '', receivers: 3, waiting: 3 }),
    line(5, { state: 'expired', message: 'Tender documents, lot 3', receivers: 4, waiting: 2, filesReceived: 5 }),
    line(6, { state: 'revoked', message: 'المستندات المطلوبة للمشروع', firstReceiver: arabic }),
    line(7, { message: longFile, firstReceiver: long, receivers: 900, waiting: 900 }),
    line(8, { message: foreign.message, firstReceiver: { name: foreign.senderName, email: foreign.sender } }),
  ];
}

function contactList(foreign: Foreign): ListedContact[] {
  const contact = (name: string, email: string, more: Partial<ListedContact> = {}): ListedContact => ({
    name,
    email,
    phone: '',
    language: '',
    groups: [],
    list: 'local',
    ...more,
  });
  return [
    contact(kim.name, kim.email, { groups: ['Northwind'], phone: '46700000112' }),
    contact(tomas.name, 'tomas.ortega@northwind.example', { groups: ['Northwind', 'Site team'], phone: '34600000344' }),
    contact(ines.name, ines.email, { groups: ['Auditors'], language: 'de' }),
    contact('', 'desk@harborline.example', {
      list: 'global',
      groups: ['Northwind', 'Auditors', 'Site team', 'Plant 2'],
    }),
    contact(arabic.name, arabic.email, { groups: ['فريق الموقع'] }),
    contact(long.name, long.email, { groups: [long.name], phone: '4917000000000' }),
    contact(foreign.senderName, 'strange@evil.example', { groups: [foreign.name] }),
  ];
}

const preview: ImportPreview = {
  fileName: 'partners-2026.csv',
  rowCount: 217,
  counts: { created: 196, changed: 18, unchanged: 0, refused: 3 },
  rows: [
    { row: 2, name: 'Anja Krüger', email: 'a.krueger@kranbau.example', result: 'created' },
    { row: 3, name: 'Kim Park', email: kim.email, result: 'changed' },
    { row: 4, name: 'Luis Prieto', email: 'luis.prieto@puerto.example', result: 'unchanged' },
    { row: 41, name: 'Büro Süd', email: 'buero-sued(at)kranbau', result: 'address' },
    { row: 87, name: 'M. Osei', email: '', result: 'noAddress' },
    { row: 90, name: long.name, email: long.email, result: 'twice' },
    { row: 112, name: arabic.name, email: arabic.email, result: 'phone' },
    { row: 1130, name: '', email: 'x@y.example', result: 'language' },
  ],
  columns: ['Kontakt', 'E-Mail', 'Bereich', 'Mobil'],
  mapping: { name: 0, email: 1, groups: 2 },
  group: 'Partners 2026',
  text: 'imp-1',
};

/** The lists of the app and their pages in every state. */
export function appStates(translator: Translator, foreign: Foreign): Record<string, PageState> {
  const show = (current: Screen, title: string, page: VNode, frame: Partial<AppFrameProps> = {}): PageState => ({
    title,
    layout: 'app',
    script: 'frame',
    page: (
      <ExampleFrame current={current} base={base} {...frame}>
        {page}
      </ExampleFrame>
    ),
  });
  const welcome = (props: Partial<WelcomePageProps> = {}) => {
    const all: WelcomePageProps = {
      base,
      csrf: 'a1b2c3',
      now,
      person: { name: 'Maya Lindqvist', email: 'maya.lindqvist@acme.example' },
      methods: [{ kind: 'passkey', name: 'Firefox on Linux' }],
      sampleSeconds: 86_400,
      requestId: toId(9),
      ...props,
    };
    return show('send', welcomeTitle(translator, all), <WelcomePage {...all} />);
  };
  const aboutProps = {
    base,
    operator: {
      name: 'Northwind Files',
      supportAddress: 'help@northwind.example',
      imprintUrl: 'https://northwind.example/imprint',
      privacyUrl: 'https://northwind.example/privacy',
    },
    account: 'Maya Lindqvist',
    next: [
      { id: toId(1), title: null, expiresAt: hours(-5), fileCount: 4, firstReceiver: kim, totalBytes: 983e6 },
      {
        id: toId(2),
        title: 'Lease agreement, signed by everybody',
        expiresAt: days(2),
        fileCount: 1,
        firstReceiver: ines,
        totalBytes: 88e3,
      },
      { id: toId(3), title: null, expiresAt: days(6), fileCount: 12, firstReceiver: long, totalBytes: 4.2e9 },
    ],
    policy: {
      maxStoredBytes: 10e9,
      dropsPerDay: 200,
      mailsPerDay: 1000,
      lifetime: { unitSeconds: 86_400, min: 1, max: 90, only: null, default: 7 },
      receiverDomains: ['northwind.example', 'southwind.example'],
      scan: 'required',
      keepSeconds: {
        drafts: 604_800,
        history: 31_536_000,
        activity: undefined,
        audit: 94_608_000,
        evidence: 315_360_000,
        events: 2_592_000,
        messages: undefined,
        webhooks: 2_592_000,
      },
    },
    maxFileBytes: 2e9,
    usage: { storedBytes: 3.2e9, dropsToday: 4, mailsToday: 17 },
  } as const;
  const sent = (props: Partial<SentListProps<SentLine>> = {}, frame: Partial<AppFrameProps> = {}) =>
    show(
      'sent',
      sentListTitle(translator, 'sent'),
      <SentListPage
        {...common}
        lines={sentLines(foreign)}
        query=""
        part="all"
        waitingCount={1}
        sorts={{
          sent: { href: `${base}sent?sort=sent`, direction: 'descending' },
          until: { href: `${base}sent?sort=until` },
        }}
        pages={{ olderHref: `${base}sent?after=x` }}
        total={348}
        selectsAll={false}
        canShowLinks
        {...props}
      />,
      frame,
    );
  const delivery = (props: Partial<DropPageProps> & { state?: Partial<SentItem> } = {}) => {
    const { state, ...rest } = props;
    const all: DropPageProps = {
      ...common,
      item: {
        id: toId(0),
        reference: 'WB-7F3K-29QD',
        state: 'live',
        title: 'Drawings of the north wing, with the comments of the engineers',
        message: foreign.message,
        createdAt: hours(2.3),
        expiresAt: days(7),
        revokedAt: null,
        restorableUntil: null,
        remindAt: days(4),
        notify: true,
        secondFactor: 'sms',
        reusable: false,
        wanted: [],
        hasPassphrase: false,
        isPurged: false,
        ...state,
      },
      receivers: receivers(),
      files: [
        {
          id: '0',
          path: 'Structural inspection 2291, north wing (signed).pdf',
          sizeBytes: 18.4e6,
          scan: 'clean',
          holders: toHolders([kim, ines]),
        },
        {
          id: '1',
          path: 'Point cloud north wing.zip',
          sizeBytes: 964e6,
          scan: 'unscanned',
          holders: { ...toHolders([kim]), partlyCount: 1, partlyTo: [{ person: ines, percent: 41 }] },
        },
        {
          id: '2',
          path: foreign.name,
          sizeBytes: 52e3,
          scan: 'clean',
          holders: { ...toHolders([kim, tomas]), deliveredCount: 3 },
        },
        {
          id: '3',
          path: `Drawings/2nd floor/${longFile}`,
          sizeBytes: 77e3,
          scan: 'clean',
          holders: toHolders([]),
        },
      ],
      history,
      canShowLinks: true,
      addTextsJson: '{}',
      ...rest,
    };
    return show('sent', dropTitle(translator, all), <DropPage {...all} />);
  };
  const sharedLinkState = {
    kind: 'anybody',
    position: 1_000_000,
    state: 'live',
    createdAt: hours(2.3),
    createdBy: 'maya.lindqvist@acme.example',
    expiresAt: days(7),
    ended: false,
    revokedAt: null,
    maxDownloads: 10,
    downloads: 3,
    lastDownloadAt: hours(1),
    visits: 5,
    openedAt: hours(2),
    secondFactor: null,
    secondFactorRule: null,
    sharedLinksRule: null,
    isLimitedToDomains: false,
  } as const;
  const many = Array.from({ length: 24 }, (_, index) => ({
    ...nobody,
    name: index === 3 ? arabic.name : index === 5 ? long.name : `Receiver ${index + 1}`,
    email: `receiver-${index + 1}@northwind.example`,
    position: index,
    notifiedAt: hours(2),
    openedAt: index % 2 === 0 ? hours(1.5) : null,
    completedAt: index % 4 === 0 ? hours(1) : null,
    revokedAt: index === 6 ? hours(0.5) : null,
    undeliverableAt: index === 7 ? hours(2) : null,
    undeliverableReason: index === 7 ? '452 4.2.2 mailbox full' : null,
  }));
  const large = {
    receivers: Array.from({ length: 100 }, (_, position) => ({
      ...nobody,
      name: position === 3 ? arabic.name : position % 3 === 0 ? null : `Receiver ${position + 1}`,
      email: `receiver-${position + 1}@northwind.example`,
      position,
      notifiedAt: hours(50),
      openedAt: position < 85 ? hours(40 - position / 4) : null,
      completedAt: position < 61 ? hours(30 - position / 4) : null,
      undeliverableAt: position > 96 ? hours(50) : null,
      undeliverableReason: position > 96 ? userUnknown : null,
    })),
    files: largeFiles(),
  };
  const inbox = (props: Partial<InboxPageProps> = {}) =>
    show(
      'inbox',
      inboxTitle(translator, props),
      <InboxPage {...common} lines={inboxLines(foreign)} part="open" query="" pages={{}} {...props} />,
    );
  const requests = (props: Partial<RequestsPageProps> = {}, frame: Partial<AppFrameProps> = {}) =>
    show(
      'requests',
      sentListTitle(translator, 'requests'),
      <RequestsPage
        {...common}
        lines={requestLines(foreign)}
        query=""
        part="open"
        waitingCount={9}
        pages={{ newerHref: `${base}requests?before=x`, olderHref: `${base}requests?after=x` }}
        total={31}
        selectsAll={false}
        canShowLinks
        publicPage="https://files.acme.example/to/maya-lindqvist"
        {...props}
      />,
      frame,
    );
  const asked: RequestContact[] = [
    {
      ...nobody,
      ...kim,
      position: 0,
      undeliverableReason: null,
      notifiedAt: hours(50),
      openedAt: hours(3),
      completedAt: hours(0.6),
      sendings: 2,
      filesReceived: 23,
      lastReceivedAt: hours(0.6),
    },
    {
      ...nobody,
      ...ines,
      position: 1,
      undeliverableReason: null,
      notifiedAt: hours(50),
      openedAt: hours(3),
      sendings: 0,
      filesReceived: 0,
      lastReceivedAt: null,
    },
    {
      ...nobody,
      ...tomas,
      position: 2,
      undeliverableReason: userUnknown,
      undeliverableAt: hours(49),
      sendings: 0,
      filesReceived: 0,
      lastReceivedAt: null,
    },
    {
      ...nobody,
      ...long,
      position: 3,
      undeliverableReason: '451 4.7.1 Greylisted, try again later',
      sendings: 0,
      filesReceived: 0,
      lastReceivedAt: null,
    },
    {
      ...nobody,
      ...arabic,
      position: 4,
      undeliverableReason: null,
      revokedAt: hours(1),
      sendings: 0,
      filesReceived: 0,
      lastReceivedAt: null,
    },
  ];
  const request = (props: Partial<RequestPageProps> & { state?: Partial<SentItem> } = {}) => {
    const { state, ...rest } = props;
    const all: RequestPageProps = {
      ...common,
      item: {
        id: toId(40),
        reference: 'WB-C2M1-ENKD',
        state: 'live',
        title: null,
        message: foreign.message.replace('Hello,', 'Signed contract and photos of the site'),
        createdAt: hours(120),
        expiresAt: days(14),
        revokedAt: null,
        restorableUntil: null,
        remindAt: null,
        notify: true,
        secondFactor: 'off',
        reusable: false,
        wanted: [],
        hasPassphrase: false,
        isPurged: false,
        ...state,
      },
      receivers: asked,
      arrivals: [
        { entryId: toId(0), sender: kim, receivedAt: hours(0.6), fileCount: 21, totalBytes: 310e6, isUnread: true },
        { entryId: toId(1), sender: kim, receivedAt: hours(26), fileCount: 2, totalBytes: 2e6, isUnread: false },
      ],
      history: [
        { at: hours(0.6), kind: 'received', name: 'Kim Park' },
        { at: hours(120), kind: 'sent', by: 'Maya Lindqvist' },
      ],
      canShowLinks: true,
      addTextsJson: '{}',
      ...rest,
    };
    return show('requests', requestTitle(translator, all), <RequestPage {...all} />);
  };
  const day = new Intl.DateTimeFormat(translator.locale, { weekday: 'long', day: 'numeric', month: 'long' });
  const asking = (props: Partial<RequestFormPageProps> = {}, values: Partial<RequestFormPageProps['values']> = {}) =>
    ({
      ...show(
        'requests',
        requestFormTitle(translator),
        <RequestFormPage
          {...common}
          requestId="0199c1d2-7f00-7000-8000-00000000000a"
          sender={{ name: 'Maya Lindqvist', address: 'maya.lindqvist@acme.example' }}
          operator={{ name: 'Acme Files', supportAddress: 'help@acme.example' }}
          origin="https://files.acme.example"
          receiversHref={`${base}receivers`}
          textsJson={requestFormTexts(translator)}
          lifetimes={{
            presets: [3, 7, 14, 30].map((count) => ({ days: count, until: day.format(days(count)) })),
            range: { min: '2026-11-17', max: '2027-02-14' },
          }}
          defaultDays="7"
          secondFactors={['off', 'mail', 'sms']}
          canCopyLinks
          callingCode="46"
          phoneReceivers={[]}
          maxMessageLength={20_000}
          sharedLinks="never"
          suggestedPassphrase="k7mf-9tqx-2hdw"
          maxTitleLength={200}
          maxWanted={50}
          {...props}
          values={{
            ...emptyValues('off', { defaultDays: '7' }, ''),
            title: '',
            wanted: [],
            reusable: true,
            ...values,
          }}
        />,
      ),
      script: 'send',
    }) as const;
  const contacts = (props: Partial<ContactsPageProps> = {}, frame: Partial<AppFrameProps> = {}) =>
    show(
      'contacts',
      contactsTitle(translator),
      <ContactsPage
        {...common}
        contacts={contactList(foreign)}
        query=""
        groups={[
          { name: 'Northwind', count: 14 },
          { name: 'Site team', count: 6 },
          { name: 'Auditors', count: 3 },
        ]}
        total={128}
        sorts={{
          name: { href: `${base}contacts?sort=name`, direction: 'ascending' },
          email: { href: `${base}contacts?sort=email` },
        }}
        pages={{ olderHref: `${base}contacts?after=x` }}
        selectsAll={false}
        place={{}}
        {...props}
      />,
      frame,
    );
  const languages = [
    { language: 'de', name: 'Deutsch' },
    { language: 'en', name: 'English' },
  ];
  const openContact = (index: number, open: Partial<OpenContact> = {}) => {
    const contact = contactList(foreign)[index];
    if (!contact) throw new Error(`There is no contact ${index}.`);
    return contacts({ open: { contact, version: 'v1', isRemoving: false, languages, ...open } });
  };
  const newContact = (props: Partial<NewContactPageProps> = {}) =>
    show(
      'contacts',
      newContactTitle(translator),
      <NewContactPage
        {...common}
        groupNames={['Northwind', 'Site team', foreign.name]}
        languages={languages}
        {...props}
      />,
    );
  const importing = (props: Partial<Parameters<typeof ContactImportPage>[0]> = {}) =>
    show(
      'contacts',
      contactImportTitle(translator, props),
      <ContactImportPage {...common} maxContacts={10_000} maxColumns={200} maxBytes={1_048_576} {...props} />,
    );
  const selection = (
    current: Screen,
    task: SelectionPageProps['task'],
    rows: SelectionPageProps['rows'],
    problem?: string,
  ) =>
    show(
      current,
      selectionTitle(translator, { task, rows }),
      <SelectionPage {...common} task={task} rows={rows} problem={problem} />,
    );
  const chosen = sentLines(foreign)
    .slice(0, 4)
    .map(({ id, reference, firstReceiver }) => ({
      value: id,
      name: `${reference} · ${firstReceiver.name ?? firstReceiver.email}`,
    }));
  const chosenContacts = contactList(foreign).map(({ email, name }) => ({ value: email, name: name || email }));
  const [firstSent] = sentLines(foreign);
  const undo = {
    toasts: (
      <>
        <SentNotices
          screen="sent"
          notice={{ kind: 'revoked', count: 1, unchanged: 0, undo: [toId(0)] }}
          base={base}
          csrf="a1b2c3"
        />
        <Toast tone="bad">{translator.t('delivery.problem.changed')}</Toast>
      </>
    ),
  };
  return {
    'app-components': show('sent', 'Lists', <ListComponents />),
    'app-components-notices': sent({ lines: sentLines(foreign).slice(0, 1) }, { toasts: <ListNotices /> }),
    'app-sent': sent(),
    'app-sent-selected': sent({ selectsAll: true }),
    'app-sent-undo': sent({ lines: sentLines(foreign).slice(0, 3) }, undo),
    'app-sent-one': sent({ lines: firstSent ? [firstSent] : [], pages: {}, total: 1 }),
    'app-sent-many': sent({
      lines: Array.from({ length: 5 }, () => sentLines(foreign))
        .flat()
        .map((line, index) => ({ ...line, id: toId(index) })),
      pages: { newerHref: `${base}sent?before=x`, olderHref: `${base}sent?after=x` },
    }),
    'app-sent-reader': sent({ canChange: false }),
    'app-sent-no-links': sent({ canShowLinks: false, by: 'me', part: 'underway' }),
    'app-sent-empty': sent({ lines: [], pages: {}, total: undefined, waitingCount: undefined }),
    'app-sent-no-match': sent({ lines: [], query: foreign.name, pages: {}, total: undefined }),
    'app-sent-receipts': sent({
      lines: [],
      query: 'WB-7F3K-29QD',
      pages: {},
      total: undefined,
      keptReceipts: [kim, long, arabic, nameless].map((one, position) => ({ ...one, dropId: toId(0), position })),
    }),
    'app-sent-no-attention': sent({
      lines: [],
      part: 'attention',
      waitingCount: undefined,
      pages: {},
      total: undefined,
    }),
    'app-sent-none-done': sent({ lines: [], part: 'done', pages: {}, total: undefined }),
    'app-sent-revoke': selection(
      'sent',
      { list: 'sent', what: 'revoke', waiting: 7, done: 2, undoSeconds: 600 },
      chosen,
    ),
    'app-sent-extend': selection(
      'sent',
      { list: 'sent', what: 'extend', choices },
      chosen,
      translator.t('delivery.problem.date'),
    ),
    'app-delivery': delivery(),
    'app-delivery-one': delivery({
      receivers: [{ ...nobody, ...long, position: 0, notifiedAt: hours(2), undeliverableReason: null }],
      files: [{ id: '0', path: longFile, sizeBytes: 3e9, scan: 'unscanned', holders: toHolders([]) }],
      history: [],
      state: { message: '', secondFactor: 'off' },
    }),
    'app-delivery-right-to-left': delivery({
      receivers: [{ ...nobody, ...arabic, position: 0, notifiedAt: hours(2), undeliverableReason: null }],
      files: [],
      state: { message: 'مرحبا، هذه رسالة بدون ملفات.', secondFactor: 'mail' },
    }),
    'app-delivery-shared': delivery({
      receivers: [],
      sharedLinks: { links: [sharedLinkState], choices: [] },
      state: { notify: false, secondFactor: 'off' },
    }),
    'app-delivery-shared-new': delivery({
      sharedLinks: {
        links: [{ ...sharedLinkState, openedAt: null, lastDownloadAt: null, visits: 0, downloads: 0 }],
        choices: ['named'],
        shown: new Map([[1_000_000, `https://files.acme.example/d/${'q7Xd2mVt9KcRw4Hn'.repeat(2)}8Bf3Lp6Zs1T`]]),
      },
    }),
    'app-delivery-many': delivery({ receivers: many }),
    'app-delivery-bounces': delivery({
      receivers: [
        'the receiver wants no more mail from this account',
        '550 5.1.2 Host not found',
        '452 4.2.2 Over quota',
        '550 5.2.1 Mailbox disabled',
        '552 5.3.4 Message too big',
        '550 5.7.1 Blocked by policy',
        'connect ETIMEDOUT: timeout',
        foreign.name,
      ].map((reason, index) => ({
        ...nobody,
        name: `Receiver ${index + 1}`,
        email: `receiver-${index + 1}@northwind.example`,
        position: index,
        undeliverableAt: hours(2),
        undeliverableReason: reason,
      })),
    }),
    'app-delivery-link': delivery({
      receivers: receivers().map((receiver) =>
        receiver.position === 2
          ? { ...receiver, link: 'https://files.acme.example/d/Kx3vQm8TzR1nYc5WbL7pHs2JdF9gAe4UoNtXiVqZkEw' }
          : receiver,
      ),
    }),
    'app-delivery-expired': delivery({ state: { state: 'expired', expiresAt: hours(20) } }),
    'app-delivery-revoked': delivery({
      state: { state: 'revoked', revokedAt: hours(1), isPurged: true },
      receivers: receivers().map((receiver) => ({ ...receiver, ...nobody })),
    }),
    'app-delivery-undo': delivery({
      state: { state: 'revoked', revokedAt: hours(0.05), restorableUntil: new Date(now.getTime() + 420_000) },
    }),
    'app-delivery-sent': delivery({
      isJustSent: true,
      receivers: receivers().map((receiver) => ({ ...receiver, ...nobody })),
      history: [{ at: now, kind: 'sent', by: 'maya.lindqvist@acme.example' }],
    }),
    'app-delivery-links': delivery({
      isJustSent: true,
      state: { notify: false },
      receivers: receivers().map((receiver) => ({ ...receiver, ...nobody })),
      history: [{ at: now, kind: 'linksShown', count: 3, by: 'maya.lindqvist@acme.example' }],
    }),
    'app-delivery-link-created': delivery({
      isJustSent: true,
      state: { notify: false },
      receivers: receivers()
        .slice(0, 1)
        .map((receiver) => ({ ...receiver, ...nobody })),
      history: [{ at: now, kind: 'sent', by: 'maya.lindqvist@acme.example' }],
    }),
    'app-delivery-link-opened': delivery({
      state: { notify: false },
      receivers: receivers()
        .slice(0, 1)
        .map((receiver) => ({ ...receiver, ...nobody, openedAt: hours(1) })),
    }),
    'app-about': show('about', aboutTitle(translator), <AboutPage {...aboutProps} />),
    'app-about-open': show(
      'about',
      aboutTitle(translator),
      <AboutPage
        {...aboutProps}
        operator={{ name: 'Northwind Files' }}
        policy={{
          ...aboutProps.policy,
          maxStoredBytes: null,
          dropsPerDay: null,
          mailsPerDay: null,
          receiverDomains: null,
          scan: 'off',
          keepSeconds: { ...aboutProps.policy.keepSeconds, history: undefined, evidence: undefined },
        }}
      />,
    ),
    'app-welcome': welcome(),
    'app-welcome-nameless': welcome({ person: { name: '', email: long.email }, problem: foreign.message }),
    'app-welcome-done': welcome({ sample: { href: `${base}sent/${toId(0)}`, sentAt: hours(1) } }),
    'app-delivery-large': delivery(large),
    'app-delivery-large-folder': delivery({ ...large, place: { folder: `${large.files[100]?.id}.1` } }),
    'app-delivery-large-inner': delivery({
      ...large,
      place: { folder: `${large.files[100]?.id}.2` },
      among: { group: 'complete' },
    }),
    'app-delivery-thousand': delivery({
      receivers: Array.from({ length: 1000 }, (_, position) => ({
        ...nobody,
        ...(position % 300 === 7 ? { undeliverableAt: hours(2) } : { notifiedAt: hours(2) }),
        name: null,
        email: `receiver-${position + 1}@northwind.example`,
        position,
        undeliverableReason: position % 300 === 7 ? userUnknown : null,
      })),
      among: { group: 'waiting', after: 99 },
    }),
    'app-delivery-reader': delivery({ canChange: false, canShowLinks: false }),
    'app-delivery-add': delivery({ task: { what: 'add' } }),
    'app-delivery-add-refused': delivery({
      task: { what: 'add', input: { receivers: 'Kim <kim.park@northwind.example>' }, problem: 'known' },
    }),
    'app-delivery-extend': delivery({ task: { what: 'extend', choices } }),
    'app-delivery-extend-refused': delivery({
      task: { what: 'extend', choices, input: { date: '2028-01-01' }, problem: 'date' },
    }),
    'app-delivery-revoke': delivery({ task: { what: 'revoke', undoSeconds: 600 } }),
    'app-delivery-revoke-one': delivery({ task: { what: 'revoke', position: 2 } }),
    'app-delivery-correct': delivery({ task: { what: 'correct', position: 1 } }),
    'app-delivery-show-link': delivery({ task: { what: 'link', problem: 'changed' } }),
    'app-inbox': inbox(),
    'app-inbox-entry': inbox({ entry: inboxEntry(foreign) }),
    'app-inbox-folders': inbox({ entry: inboxEntry(foreign, { files: houseFiles() }) }),
    'app-inbox-large': inbox({
      entry: inboxEntry(foreign, { files: largeFiles().map((file) => ({ ...file, isDownloaded: false })) }),
    }),
    'app-inbox-undo': inbox({ done: { id: toId(0), sender: kim } }),
    'app-inbox-selected': inbox({
      entry: inboxEntry(foreign, { selectsAll: true, isUnsolicited: true, request: null }),
    }),
    'app-inbox-one-file': inbox({
      lines: inboxLines(foreign).slice(0, 1),
      entry: inboxEntry(foreign, {
        files: inboxEntry(foreign).files.slice(1, 2),
        message: '',
        sender: long,
        state: 'claimed',
      }),
    }),
    'app-inbox-report': show(
      'inbox',
      blockSenderTitle(translator),
      <BlockSenderPage
        base={base}
        csrf="csrf"
        entryId={toId(0)}
        sender={long}
        reference="WB-7F3K-29QD"
        operator="Acme Files"
        support="support@acme.example"
      />,
    ),
    'app-inbox-parked': inbox({ entry: inboxEntry(foreign, { state: 'parked', sender: arabic, files: [] }) }),
    'app-inbox-done': inbox({
      part: 'done',
      entry: inboxEntry(foreign, { state: 'acknowledged' }),
      pages: { olderHref: `${base}inbox?after=x` },
    }),
    'app-inbox-reader': inbox({ canChange: false, entry: inboxEntry(foreign) }),
    'app-inbox-empty': inbox({ lines: [] }),
    'app-inbox-all-done': inbox({ lines: [], hasDone: true }),
    'app-inbox-none-done': inbox({ lines: [], part: 'done' }),
    'app-inbox-no-match': inbox({ lines: [], query: 'crane 2025' }),
    'app-requests': requests(),
    'app-requests-selected': requests({ selectsAll: true }),
    'app-requests-reader': requests({ canChange: false, part: 'all' }),
    'app-requests-empty': requests({ lines: [], waitingCount: 0, pages: {}, total: undefined }),
    'app-requests-none-closed': requests({ lines: [], part: 'closed', pages: {}, total: undefined }),
    'app-requests-no-match': requests({ lines: [], query: foreign.name, pages: {}, total: undefined }),
    'app-requests-close': selection('requests', { list: 'requests', what: 'revoke', waiting: 3, done: 0 }, chosen),
    'app-requests-extend': selection('requests', { list: 'requests', what: 'extend', choices }, chosen),
    'app-requests-closed': requests(
      {},
      {
        toasts: (
          <SentNotices
            screen="requests"
            notice={{ kind: 'revoked', count: 2, unchanged: 1, undo: [toId(0), toId(1)] }}
            base={base}
            csrf="a1b2c3"
          />
        ),
      },
    ),
    'app-request-new': asking(),
    'app-request-new-filled': asking(
      {},
      {
        receivers: 'Büro Meyer <buero@meyer.example>\nKim Park <kim.park@northwind.example>',
        title: 'Handover of house 12',
        wanted: ['Floor plans of all storeys', 'Signed contract', 'Photos of the roof', 'Energy certificate'].map(
          (name) => ({ name, note: '' }),
        ),
        message: 'Please send the plans as DWG, one folder per storey.',
      },
    ),
    'app-request-new-refused': asking(
      { problem: describeRequestProblem(translator, 'unreadable', { name: foreign.name }) },
      {
        receivers: `kim@northwind.example, ${foreign.name}`,
        message: foreign.message,
        until: '2026-12-01',
        days: '',
      },
    ),
    'app-request-new-rules': asking(
      { problem: describeRequestProblem(translator, 'dailyLimit', {}), secondFactors: ['sms'], canCopyLinks: false },
      { receivers: `${long.email}\n${arabic.email}`, reusable: true, secondFactor: 'sms' },
    ),
    'app-request': request(),
    'app-request-reusable': request({ state: { reusable: true }, receivers: asked.slice(0, 1) }),
    'app-request-empty': request({ receivers: asked.slice(1, 2), arrivals: [], history: [], state: { message: '' } }),
    'app-request-closed': request({
      state: { state: 'revoked', revokedAt: hours(2) },
      arrivals: [],
      receivers: asked.slice(1, 2),
    }),
    'app-request-reader': request({ canChange: false }),
    'app-request-add': request({ task: { what: 'add', problem: 'email', input: { receivers: 'kim.park' } } }),
    'app-request-extend': request({ task: { what: 'extend', choices } }),
    'app-request-close': request({ task: { what: 'revoke' } }),
    'app-request-close-one': request({ task: { what: 'revoke', position: 1 } }),
    'app-request-correct': request({ task: { what: 'correct', position: 2 } }),
    'app-request-show-link': request({
      task: { what: 'link', position: 1 },
      receivers: asked.map((each) => ({
        ...each,
        link: each.position === 0 ? 'https://files.acme.example/u/q7Z' : undefined,
      })),
    }),
    'app-contacts': contacts(),
    'app-contacts-imported': contacts({}, { toasts: <ContactsNotice name="imported" /> }),
    'app-contacts-selected': contacts({ selectsAll: true }),
    'app-contacts-group': contacts({ group: 'Northwind' }),
    'app-contacts-many-groups': contacts({
      groups: Array.from({ length: 12 }, (_, index) => ({ name: index === 2 ? long.name : `Group ${index + 1}` })),
      group: 'Group 4',
    }),
    'app-contacts-reader': contacts({ canChange: false }),
    'app-contacts-empty': contacts({ contacts: [], groups: [], total: undefined, pages: {} }),
    'app-contacts-no-match': contacts({ contacts: [], query: foreign.name, total: undefined, pages: {} }),
    'app-contacts-remove': selection('contacts', { list: 'contacts', what: 'remove', globalCount: 1 }, chosenContacts),
    'app-contacts-add-to-group': selection(
      'contacts',
      { list: 'contacts', what: 'group', globalCount: 0, groups: ['Northwind', foreign.name] },
      chosenContacts,
    ),
    'app-contacts-edit': openContact(1),
    'app-contacts-edit-refused': openContact(2, {
      input: { email: '', name: foreign.senderName, phone: '070', language: 'de', groups: foreign.name },
      problem: 'phone',
    }),
    'app-contacts-edit-changed': openContact(5, { problem: 'changed' }),
    'app-contacts-edit-global': openContact(3),
    'app-contacts-remove-one': openContact(6, { isRemoving: true }),
    'app-contact-new': newContact(),
    'app-contact-new-refused': newContact({
      input: { email: 'kim.park', name: foreign.senderName, phone: '070', language: 'de', groups: foreign.name },
      problem: 'email',
    }),
    'app-contacts-import': importing(),
    'app-contacts-import-refused': importing({ problem: 'unreadable' }),
    'app-contacts-import-quote': importing({ problem: 'quote', problemLine: 1204 }),
    'app-contacts-import-preview': importing({ preview: { ...preview, fileName: foreign.name } }),
    'app-contacts-import-clean': importing({
      preview: {
        ...preview,
        counts: { ...preview.counts, refused: 0 },
        rows: preview.rows.slice(0, 3),
        rowCount: 3,
        group: '',
      },
    }),
    'app-contacts-import-none': importing({
      preview: {
        ...preview,
        counts: { created: 0, changed: 0, unchanged: 0, refused: 5 },
        rows: preview.rows.slice(3),
      },
    }),
  };
}
