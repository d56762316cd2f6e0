import type { Translator } from '../src/present/texts/translator.ts';
import { emptyValues } from '../src/web/app/send/composer-values.ts';
import { SendPage, type SendPageProps, sendTexts, sendTitle } from '../src/web/app/send/send-page.tsx';
import { describeProblem } from '../src/web/app/shared/composer-problem.ts';
import { describePhones } from '../src/web/app/shared/phone-problem.ts';
import { ExampleFrame } from './sign-in-states.tsx';
import type { Foreign, PageState } from './view-states.tsx';

const base = '/maya.lindqvist@acme.example/';
const now = new Date('2026-11-16T11:30:00Z');

/** The composer in every state that the server draws. */
export function composerStates(translator: Translator, foreign: Foreign): Record<string, PageState> {
  const day = new Intl.DateTimeFormat(translator.locale, { weekday: 'long', day: 'numeric', month: 'long' });
  const empty = emptyValues('off', { defaultDays: '7' }, '');
  const filled = {
    ...empty,
    title: 'Drawings of the north wing',
    receivers: `Kim Park <kim.park@northwind.example>\nTomás Ortega <t.ortega@northwind.example>\nj.haddad@fjord-survey.example\n${foreign.sender}`,
    message: foreign.message,
    secondFactor: 'sms',
  } as const;
  const phoneReceivers = [
    { email: 'j.haddad@fjord-survey.example', name: foreign.senderName, hasPhone: false },
    { email: 't.ortega@northwind.example', name: 'Tomás Ortega', hasPhone: false },
    { email: 'kim.park@northwind.example', name: 'Kim Park', hasPhone: true },
    { email: 'ines@albrecht-legal.example', name: 'Ines Albrecht', hasPhone: false },
  ];
  const phoned = {
    ...filled,
    phones: new Map([['t.ortega@northwind.example', '0733 12']]),
    byMail: new Set(['ines@albrecht-legal.example']),
  };
  const uploads = [
    {
      id: '0199c1d2-7f00-7000-8000-000000000001',
      path: 'Structural inspection 2291, north wing (signed).pdf',
      sizeBytes: 18.4e6,
    },
    { id: '0199c1d2-7f00-7000-8000-000000000002', path: foreign.name, sizeBytes: 52e3 },
  ];
  const page = (props: Partial<SendPageProps> = {}, script: 'send' | 'frame' = 'send'): PageState => ({
    title: sendTitle(translator),
    layout: 'app',
    script,
    page: (
      <ExampleFrame current="send" base={base}>
        <SendPage
          base={base}
          csrf="a1b2c3"
          now={now}
          canChange
          sender={{ name: foreign.senderName, address: 'maya.lindqvist@acme.example' }}
          action={`${base}send`}
          requestId="0199c1d2-7f00-7000-8000-00000000000a"
          draftKey="example"
          uploadsHref={`${base}uploads`}
          receiversHref={`${base}receivers`}
          uploads={[]}
          maxFiles={1000}
          maxFileBytes={50e9}
          sizeReason="file"
          maxMessageLength={20_000}
          sharedLinks="anybody"
          suggestedPassphrase="k7mf-9tqx-2hdw"
          lifetimes={{
            presets: [3, 7, 14, 30].map((days) => ({
              days,
              until: day.format(new Date(now.getTime() + days * 86_400_000)),
            })),
            range: { min: '2026-11-17', max: '2027-02-14' },
          }}
          secondFactors={['off', 'mail', 'sms']}
          canCopyLinks
          values={empty}
          operator={{ name: 'Acme Files', supportAddress: 'help@acme.example' }}
          origin="https://files.acme.example"
          defaultDays="7"
          callingCode="46"
          phoneReceivers={[]}
          textsJson={sendTexts(translator)}
          {...props}
        />
      </ExampleFrame>
    ),
  });
  return {
    'app-send': page(),
    'app-send-plain': page({}, 'frame'),
    'app-send-filled': page({ values: filled, uploads }),
    'app-send-again': page({
      values: { ...filled, receivers: '' },
      again: { reference: 'WB-7F3K-29QD', files: uploads },
    }),
    'app-send-refused': page(
      {
        values: { ...filled, days: '', until: '2026-11-30' },
        uploads,
        problem: describeProblem(translator, 'unreadable', { name: foreign.sender }),
      },
      'frame',
    ),
    'app-send-phones': page(
      {
        values: phoned,
        uploads,
        phoneReceivers,
        problem: describeProblem(translator, 'phone', {
          count: 2,
          people: describePhones(translator, {
            receivers: phoneReceivers,
            phones: phoned.phones,
            byMail: phoned.byMail,
            canChooseMail: true,
            callingCode: '46',
          }),
        }),
      },
      'frame',
    ),
    'app-send-limit': page({ values: filled, problem: describeProblem(translator, 'dailyLimit') }, 'frame'),
    'app-send-infected': page(
      { values: filled, problem: describeProblem(translator, 'infected', { name: foreign.name }) },
      'frame',
    ),
    'app-send-few-choices': page({
      lifetimes: { presets: [{ days: 1, until: day.format(now) }] },
      secondFactors: ['sms'],
      canCopyLinks: false,
      values: { ...empty, days: '1', secondFactor: 'sms' },
    }),
    'app-send-reader': page({ canChange: false }, 'frame'),
  };
}
