import type { JSX } from 'preact';
import { Crumbs } from '../src/web/app/components/crumbs.tsx';
import { FilterBar, Segments } from '../src/web/app/components/filter-bar.tsx';
import { KeyValues } from '../src/web/app/components/key-values.tsx';
import { ListForm } from '../src/web/app/components/list-form.tsx';
import { ListTable } from '../src/web/app/components/list-table.tsx';
import { PageHead } from '../src/web/app/components/page-head.tsx';
import { Pager } from '../src/web/app/components/pager.tsx';
import { Panel } from '../src/web/app/components/panel.tsx';
import { type Person, PersonLine } from '../src/web/app/components/person.tsx';
import type { Progress } from '../src/web/app/components/progress.ts';
import { RowMenu } from '../src/web/app/components/row-menu.tsx';
import { SectionHead } from '../src/web/app/components/section-head.tsx';
import { SelectionBar } from '../src/web/app/components/selection-bar.tsx';
import { DeadlineField, TaskForm } from '../src/web/app/components/task-form.tsx';
import { Toast } from '../src/web/app/components/toast.tsx';
import { Route } from '../src/web/app/sent/route.tsx';
import { UndoToast } from '../src/web/app/sent/undo-toast.tsx';
import { Button } from '../src/web/shared/components/button.tsx';
import { BriefMoment } from '../src/web/shared/components/moment.tsx';
import { toneIcons } from '../src/web/shared/components/tone.ts';

const now = new Date('2026-11-16T11:30:00Z');
const hour = 3_600_000;
const at = (hours: number) => new Date(now.getTime() + hours * hour);

const people: readonly Person[] = [
  { name: 'Kim Park', email: 'kim.park@northwind.example' },
  { name: null, email: 'legal@northwind.example' },
  { name: 'شركة الشحن الدولية (مستودع ٢)', email: 'shipping@harbour.example' },
  {
    name: 'Northwind International Logistics and Warehousing Corporation, Dangerous Goods and Customs Clearance (Gothenburg)',
    email: 'maximiliana-konstantinopolitanskaja.von-und-zu-hohenzollern@subdivision.northwind-international.example',
  },
];

const sent: Progress = {
  state: 'live',
  notify: true,
  receivers: 1,
  delivered: 0,
  undeliverable: 0,
  opened: 0,
  downloaded: 0,
};
const steps: readonly Partial<Progress>[] = [
  {},
  { notify: false },
  { delivered: 1 },
  { receivers: 3, delivered: 2 },
  { delivered: 1, opened: 1 },
  { receivers: 3, delivered: 3, opened: 2 },
  { receivers: 3, delivered: 3, opened: 3, downloaded: 2 },
  { delivered: 1, opened: 1, downloaded: 1 },
  { undeliverable: 1 },
  { receivers: 3, delivered: 2, undeliverable: 1 },
  { state: 'expired', delivered: 1 },
  { state: 'expired', delivered: 1, opened: 1 },
  { state: 'revoked', receivers: 2, delivered: 2, opened: 1 },
];

const segment = (label: string, current: boolean, count?: number) => ({ label, current, count, href: `#${label}` });
const remind = { label: 'Remind', icon: 'bell', href: '#remind' } as const;
const remove = { label: 'Remove…', icon: 'trash', href: '#remove', danger: true } as const;

/** The components of lists, each in every state that is not a page of its own. */
export function ListComponents(): JSX.Element {
  return (
    <>
      <PageHead
        trail={
          <Crumbs label="Crumbs" href="#list">
            <span class="reference">WB-7F3K-29QD</span>
          </Crumbs>
        }
        title="Lists"
      />
      <FilterBar
        action="#"
        label="FilterBar"
        hint="FilterBar"
        query=""
        choices={[{ name: 'by', label: 'Choice', value: 'one', options: [['one', 'One']] }]}
      >
        <Segments label="Two" segments={[segment('Open', true, 5), segment('Done', false)]} />
      </FilterBar>
      <Segments
        label="Many"
        segments={people.slice(1).map((person, index) => segment(person.name ?? person.email, index === 1, 12_000))}
      />
      <ListForm csrf="a1b2c3" label="ListForm">
        <Panel flush>
          <ListTable
            caption="ListTable"
            look="contacts"
            columns={[
              {
                name: 'name',
                label: 'Name',
                sort: { href: '#name', direction: 'ascending' },
                cell: ({ name, email }) => (
                  <span class="cut-line">
                    <a class="row-link" dir="auto" href={`#${email}`}>
                      {name ?? email}
                    </a>
                  </span>
                ),
              },
              {
                name: 'email',
                label: 'Sorts',
                sort: { href: '#email' },
                cell: ({ email }) => <span class="cut">{email}</span>,
              },
              {
                name: 'actions',
                label: 'Actions',
                unlabelled: true,
                cell: ({ email }) => (
                  <RowMenu
                    id={`menu-${people.findIndex((each) => each.email === email)}`}
                    label={email}
                    actions={[remind, remove]}
                  />
                ),
              },
            ]}
            rows={people}
            rowKey={({ email }) => email}
            selection={{
              field: 'email',
              value: ({ email }) => email,
              label: ({ email }) => email,
              all: true,
              allHref: '#none',
            }}
          />
        </Panel>
        <SelectionBar noneHref="#none">
          <Button look="plain" icon="bell">
            Remind
          </Button>
          <Button look="plain" icon="stop" class="button-bad">
            Revoke…
          </Button>
        </SelectionBar>
      </ListForm>
      <Pager pages={{ newerHref: '#newer', olderHref: '#older' }} order="name" about="4 contacts" />
      <Panel title="Route">
        {steps.map((counts, index) => (
          <p key={index}>
            <Route progress={{ ...sent, ...counts }} />
          </p>
        ))}
      </Panel>
      <Panel title="BriefMoment, KeyValues" action={<a href="#all">All</a>}>
        <KeyValues
          values={[
            ['Today', <BriefMoment at={at(-1)} now={now} />],
            ['Tomorrow', <BriefMoment at={at(24)} now={now} show="day-time" />],
            ['This year', <BriefMoment at={at(-240)} now={now} />],
            ['Later', <BriefMoment at={at(12_000)} now={now} show="day-time" />],
            ['From', people[3]?.email],
          ]}
        />
      </Panel>
      <Panel title="PersonLine">
        <SectionHead title="SectionHead">1 of 4</SectionHead>
        {people.map((person, index) => (
          <PersonLine key={person.email} person={person}>
            {index % 2 === 1 && <RowMenu id={`person-${index}`} label={person.email} actions={[remind]} />}
          </PersonLine>
        ))}
      </Panel>
      <TaskForm
        title="TaskForm"
        about="What happens is said before the fields."
        problem="Why it was refused."
        csrf="a1b2c3"
        action="#"
        submit="Do it"
        cancelHref="#"
      >
        <DeadlineField days={[7, 14]} chosenDays={7} min="2026-11-17" max="2026-12-16" />
      </TaskForm>
    </>
  );
}

/** A notice of each tone, and one that can be undone. */
export function ListNotices(): JSX.Element {
  return (
    <>
      <UndoToast csrf="a1b2c3" action="#">
        UndoToast
      </UndoToast>
      {(Object.keys(toneIcons) as (keyof typeof toneIcons)[]).map((tone) => (
        <Toast key={tone} tone={tone}>
          {tone}
        </Toast>
      ))}
    </>
  );
}
