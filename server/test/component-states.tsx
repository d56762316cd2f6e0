import type { ComponentChildren, JSX, VNode } from 'preact';
import { EmptyState } from '../src/web/app/components/empty-state.tsx';
import { type ListColumn, ListTable } from '../src/web/app/components/list-table.tsx';
import { Toast, Toasts } from '../src/web/app/components/toast.tsx';
import { type Status, StatusChip, statuses } from '../src/web/app/sent/status-chip.tsx';
import { Timeline } from '../src/web/app/sent/timeline.tsx';
import { Banner } from '../src/web/shared/components/banner.tsx';
import { Button, ButtonLink, IconButton } from '../src/web/shared/components/button.tsx';
import { Field, Select, TextArea } from '../src/web/shared/components/field.tsx';
import { FileRow } from '../src/web/shared/components/file-row.tsx';
import { Dialog } from '../src/web/shared/components/overlay.tsx';
import { type Tone, toneIcons } from '../src/web/shared/components/tone.ts';

export interface ComponentState {
  readonly page: VNode;
  /** The id of the dialog that is open in the picture. */
  readonly opens?: string;
  /** The frame that it draws itself, instead of that of receivers. */
  readonly layout?: 'app' | 'sign-in';
}

const tones = Object.keys(toneIcons) as Tone[];
const sent = new Date('2026-11-14T08:00:00Z');
const later = (minutes: number) => new Date(sent.getTime() + minutes * 60_000);
const fileNames = [
  ['Delivery note 2291.pdf', '184 kB'],
  ['measurements.xlsx', '52.1 kB'],
  ['Board meeting, third quarter.pptx', '8.4 MB'],
  ['IMG_20260914_101112_site-survey-north-entrance-after-the-rain-version-2-final.jpeg', '6.1 MB'],
  ['site-survey-film.mov', '1.2 GB'],
  ['interview.m4a', '48 MB'],
  ['photos.zip', '1.3 GB'],
  ['Assembly drawing rev C.dwg', '7.3 MB'],
  ['openapi.json', '31 kB'],
  ['RE: order 2291.eml', '92 kB'],
  ['setup.exe', '4.2 MB'],
  ['README', '812 B'],
  ['تقرير التسليم النهائي للمشروع الكبير في الميناء الشمالي.pdf', '2.2 MB'],
] as const;

/** Every component in every state, one page for each. */
export function componentStates(): Record<string, ComponentState> {
  return {
    tokens: {
      page: (
        <Specimens title="Tokens">
          <Specimen name="Colour">
            <ul class="swatches">
              {['page', 'card', 'ink', 'quiet', 'line', 'edge', 'accent', 'fill', 'fill-hover', 'on-fill', 'tint']
                .concat(['good', 'good-tint', 'warn', 'warn-tint', 'bad', 'bad-tint'])
                .map((token) => (
                  <li key={token}>
                    <span class={`swatch swatch-${token}`} />
                    <code>--{token}</code>
                  </li>
                ))}
            </ul>
          </Specimen>
          <Specimen name="Type">
            {['xl', 'l', 'm', 's', 'xs'].map((size) => (
              <p key={size} class={`type type-${size}`}>
                Astrid Lindqvist has sent you 4 files <code>--text-{size}</code>
              </p>
            ))}
          </Specimen>
          <Specimen name="Space">
            {[1, 2, 3, 4, 5, 6, 7].map((step) => (
              <p key={step} class="measure">
                <span class={`bar bar-${step}`} /> <code>--space-{step}</code>
              </p>
            ))}
          </Specimen>
        </Specimens>
      ),
    },
    button: {
      page: (
        <Specimens title="Button">
          {(['main', 'quiet', 'plain', 'danger'] as const).map((look) => (
            <Specimen key={look} name={look} row>
              <Button look={look}>Send files</Button>
              <Button look={look} icon="send">
                Send files
              </Button>
              <Button look={look} busy>
                Sending…
              </Button>
              <Button look={look} disabled>
                Send files
              </Button>
              <ButtonLink look={look} icon="download" href="#top">
                A link
              </ButtonLink>
            </Specimen>
          ))}
          <Specimen name="icon" row>
            <IconButton icon="pause" label="Pause" />
            <IconButton icon="retry" label="Try again" />
            <IconButton icon="close" label="Remove" disabled />
          </Specimen>
        </Specimens>
      ),
    },
    field: {
      page: (
        <Specimens title="Field">
          <Field id="empty" label="Name" autocomplete="off" />
          <Field id="filled" label="Subject" value="Drawings for order 2291" hint="The receiver sees it in the mail." />
          <Field
            id="wrong"
            type="email"
            label="Address"
            value="astrid@northwind"
            problem="An address ends in a domain, such as northwind.example."
          />
          <Field id="off" label="Account" value="dispatch@northwind.example" disabled />
          <Select id="days" label="Available for" hint="After that, the files are destroyed.">
            <option>7 days</option>
            <option>30 days</option>
          </Select>
          <TextArea id="message" label="Message" value={'Hello,\n\nhere are the drawings.'} />
          <Field id="code" label="Code" class="code-input" inputMode="numeric" value="482913" />
          <Field id="file" type="file" label="Files" hint="Up to 200 files of 5 TB." />
        </Specimens>
      ),
    },
    'file-row': {
      page: (
        <Specimens title="FileRow">
          <ul>
            {fileNames.map(([name, size], index) => (
              <FileRow key={name} path={name} size={size} href={index % 2 === 0 ? '#top' : undefined} />
            ))}
          </ul>
        </Specimens>
      ),
    },
    timeline: {
      page: (
        <Specimens title="Timeline">
          <Specimen name="Sent">
            <Timeline at={{ sent }} />
          </Specimen>
          <Specimen name="Opened">
            <Timeline at={{ sent, delivered: later(1), opened: later(72) }} />
          </Specimen>
          <Specimen name="Downloaded">
            <Timeline at={{ sent, delivered: later(1), opened: later(72), downloaded: later(75) }} />
          </Specimen>
          <Specimen name="Not delivered">
            <Timeline at={{ sent }} undeliverableAt={later(2)} />
          </Specimen>
        </Specimens>
      ),
    },
    'status-chip': {
      page: (
        <Specimens title="StatusChip">
          <Specimen name="All of them" row>
            {(Object.keys(statuses) as Status[]).map((status) => (
              <StatusChip key={status} status={status} />
            ))}
          </Specimen>
        </Specimens>
      ),
    },
    banner: {
      page: (
        <Specimens title="Banner">
          {tones.map((tone) => (
            <Banner key={tone} tone={tone}>
              The link expires in two days. After that, the files are destroyed and nobody can download them.
            </Banner>
          ))}
          <Banner tone="warn" action={<Button look="plain">Extend</Button>}>
            The link expires tomorrow.
          </Banner>
        </Specimens>
      ),
    },
    toast: {
      page: (
        <Specimens title="Toast">
          <p class="quiet">Toasts appear at the end of the window, above what is there.</p>
          <Toasts>
            <Toast tone="good">Link copied</Toast>
            <Toast tone="calm" action={<Button look="plain">Undo</Button>}>
              kim@northwind.example removed
            </Toast>
            <Toast tone="bad" action={<IconButton icon="close" label="Close" />}>
              The drop could not be sent. Nothing was lost; try again in a moment.
            </Toast>
          </Toasts>
        </Specimens>
      ),
    },
    'empty-state': {
      page: (
        <Specimens title="EmptyState">
          <EmptyState icon="inbox" title="Nothing has arrived yet" action={<Button look="main">Request files</Button>}>
            What others send you appears here. Send someone a link, and they can upload without an account.
          </EmptyState>
          <EmptyState icon="question" title="No delivery matches">
            Try another name, or a wider range of dates.
          </EmptyState>
        </Specimens>
      ),
    },
    table: {
      page: (
        <Specimens title="Table">
          <ListTable caption="Deliveries" columns={columns} rows={deliveries} rowKey={({ number }) => number} />
        </Specimens>
      ),
    },
    dialog: {
      opens: 'revoke',
      page: (
        <Specimens title="Dialog">
          <Button look="danger" type="button" opens="revoke">
            Disable link…
          </Button>
          <Dialog
            id="revoke"
            title="Disable the link?"
            actions={
              <>
                <Button form="revoke-close">Keep it</Button>
                <Button look="danger" form="revoke-close">
                  Disable link
                </Button>
              </>
            }
          >
            <p>Astrid Lindqvist can no longer download the 4 files. This cannot be undone.</p>
          </Dialog>
        </Specimens>
      ),
    },
  };
}

interface Delivery {
  readonly number: string;
  readonly receiver: string;
  readonly files: number;
  readonly size: string;
  readonly status: Status;
}

const deliveries: readonly Delivery[] = [
  { number: 'WB-7F3K-29', receiver: 'Astrid Lindqvist', files: 4, size: '1.3 GB', status: 'opened' },
  { number: 'WB-2M9T-C4', receiver: 'kim@northwind.example', files: 1, size: '184 kB', status: 'downloaded' },
  {
    number: 'WB-QX41-8M',
    receiver: 'Maximiliana von Hohenzollern',
    files: 212,
    size: '9.8 GB',
    status: 'undeliverable',
  },
];

const columns: readonly ListColumn<Delivery>[] = [
  { name: 'number', label: 'Number', cell: ({ number }) => <span class="ticket-number">{number}</span> },
  { name: 'to', label: 'To', cell: ({ receiver }) => receiver },
  { name: 'status', label: 'Status', cell: ({ status }) => <StatusChip status={status} /> },
  { name: 'files', label: 'Files', end: true, cell: ({ files }) => files },
  { name: 'size', label: 'Size', end: true, cell: ({ size }) => size },
  {
    name: 'actions',
    label: 'Actions',
    end: true,
    unlabelled: true,
    cell: ({ number }) => <IconButton icon="more" label={`Actions: ${number}`} />,
  },
];

/** One component's page, on its own card. */
function Specimens(props: { title: string; children: ComponentChildren }): JSX.Element {
  return (
    <main class="card card-wide specimens ticket specimens-sheet">
      <h1>{props.title}</h1>
      {props.children}
    </main>
  );
}

export function Specimen(props: { name: string; row?: boolean; children: ComponentChildren }): JSX.Element {
  return (
    <section>
      <h2 class="specimen-name">{props.name}</h2>
      <div class={props.row ? 'specimen-row' : 'specimen'}>{props.children}</div>
    </section>
  );
}
