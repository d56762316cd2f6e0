import { Shortcuts, shortcutsId } from '../src/web/app/components/app-frame.tsx';
import { Avatar } from '../src/web/app/components/avatar.tsx';
import { Check, Switch } from '../src/web/app/components/check.tsx';
import { CopyField } from '../src/web/app/components/copy-field.tsx';
import { PageHead, Tabs } from '../src/web/app/components/page-head.tsx';
import { PasskeyButton } from '../src/web/app/components/passkey-button.tsx';
import { PasswordField } from '../src/web/app/components/password-field.tsx';
import { QrCode } from '../src/web/app/components/qr-code.tsx';
import { ReceiversField } from '../src/web/app/components/receivers-field.tsx';
import { SignInFrame } from '../src/web/app/components/sign-in-frame.tsx';
import { Toast } from '../src/web/app/components/toast.tsx';
import { ChoiceSegments } from '../src/web/app/send/choice-segments.tsx';
import { ComposerBar, type ComposerProgress } from '../src/web/app/send/composer-bar.tsx';
import { ComposerPreview, type ComposerPreviewProps } from '../src/web/app/send/composer-preview.tsx';
import { DropArea } from '../src/web/app/send/drop-area.tsx';
import { RevealedSecret } from '../src/web/app/settings/revealed-secret.tsx';
import { SaveBar } from '../src/web/app/settings/save-bar.tsx';
import { Setting } from '../src/web/app/settings/setting.tsx';
import { SettingItem, SettingItems } from '../src/web/app/settings/setting-item.tsx';
import { Button, ButtonLink } from '../src/web/shared/components/button.tsx';
import { Field, Select } from '../src/web/shared/components/field.tsx';
import { toneIcons } from '../src/web/shared/components/tone.ts';
import { type ComponentState, Specimen } from './component-states.tsx';
import { ExampleFrame } from './sign-in-states.tsx';

const routes = { optionsHref: '/passkey/options', resultHref: '/passkey', csrf: 'a1b2c3' };

const progress: ComposerProgress = {
  fileCount: 2,
  totalBytes: 1.24e9,
  sentBytes: 618e6,
  secondsLeft: 95,
  isReady: false,
  intent: 'none',
};
const bars: readonly (readonly [state: string, progress: ComposerProgress])[] = [
  ['Nothing to send', { ...progress, fileCount: 0 }],
  ['Uploading', progress],
  ['Waiting for the files', { ...progress, intent: 'waiting' }],
  ['A file cannot be sent', { ...progress, stoppedCount: 1, hint: 'A file can’t be sent. You can send the rest now.' }],
  ['Ready', { ...progress, isReady: true }],
  ['Offline', { ...progress, obstacle: 'offline' }],
  ['Signed out', { ...progress, intent: 'waiting', obstacle: 'signedOut' }],
  ['Sending', { ...progress, isReady: true, intent: 'sending' }],
];
const files = ['Point cloud north wing.zip', 'Delivery note 2291.pdf', 'measurements.xlsx', 'README'].map((name) => ({
  name,
  sizeBytes: 18.4e6,
}));
const message = 'Here are the drawings that we spoke about.';
const preview: ComposerPreviewProps = {
  kind: 'send',
  view: 'page',
  sender: { name: 'Maya Lindqvist', address: 'maya.lindqvist@acme.example' },
  operator: { name: 'Acme Files', supportAddress: 'help@acme.example' },
  origin: 'https://files.acme.example',
  content: { files, title: 'Drawings of the north wing', message },
  until: 'Monday, 23 November',
  deadline: new Date('2026-11-23T22:59:59Z'),
  to: 'kim.park@northwind.example',
  secondFactor: 'off',
  codes: undefined,
  notify: true,
};
const asked = {
  title: 'Handover of house 12',
  wanted: ['Floor plans of all storeys', 'Signed contract'],
  message: 'Please send the plans as DWG, one folder per storey.',
};
const previews: readonly (readonly [state: string, change: Partial<ComposerPreviewProps>])[] = [
  ['Empty', { content: {} }],
  ['Page', {}],
  ['Message without files, with codes', { content: { message }, secondFactor: 'sms', codes: { sms: 3, mail: 1 } }],
  ['Links instead of mails', { content: { files: files.slice(0, 1), message }, notify: false }],
  ['Request', { kind: 'ask', content: asked }],
];

/** The components of the pages for people with an account, in their frames. */
export function appComponentStates(): Record<string, ComponentState> {
  return {
    'app-frame': {
      layout: 'app',
      page: (
        <ExampleFrame current="inbox" toasts={<Toast tone="good">Saved</Toast>}>
          <PageHead
            title="Page head"
            about="A line about the screen"
            actions={
              <>
                <Button look="plain">Plain</Button>
                <Button icon="download">Quiet</Button>
              </>
            }
          />
          <Tabs
            label="Tabs"
            tabs={[
              { label: 'Current', href: '#current', current: true },
              { label: 'Another', href: '#another', current: false },
            ]}
          />
          <p class="actions">
            <Avatar name="Maya Lindqvist" /> <Avatar name="Plant 2" shared /> <Avatar name="kim@acme.example" small />
          </p>
          <p class="actions">
            {Object.keys(toneIcons).map((tone) => (
              <span key={tone} class={`tag tone-${tone}`}>
                {tone}
              </span>
            ))}
          </p>
        </ExampleFrame>
      ),
    },
    shortcuts: {
      layout: 'app',
      opens: shortcutsId,
      page: (
        <main class="app-main">
          <PageHead title="Shortcuts" actions={<Button opens={shortcutsId}>Show</Button>} />
          <Shortcuts base="/maya@acme.example/" hasShortcuts />
        </main>
      ),
    },
    setting: {
      layout: 'app',
      page: (
        <ExampleFrame>
          <PageHead title="Setting" />
          <div class="settings">
            <Setting id="fields" title="Fields" about="What they are for." notice={{ tone: 'good', text: 'Saved.' }}>
              <form class="form-grid">
                <Field id="one" label="Field" value="Text" hint="A hint" />
                <Select id="two" label="Select">
                  <option>One</option>
                  <option>Two</option>
                </Select>
                <PasswordField
                  id="three"
                  name="three"
                  label="Password"
                  autocomplete="new-password"
                  problem="Too short."
                />
                <CopyField value="wbk_9vK2mQ7xT4pLr8sDn3Hc" label="Key" />
                <div class="form-end">
                  <Button>Save</Button>
                </div>
              </form>
              <Switch id="on" name="on" label="On" note="With a note" defaultChecked />
              <Switch id="off" name="off" label="Off" />
              <Switch id="fixed" name="fixed" label="Fixed" defaultChecked disabled />
            </Setting>
            <Setting id="items" title="Items" notice={{ tone: 'bad', text: 'Nothing was changed.' }}>
              <SettingItems label="Items">
                <SettingItem icon="computer" title="An item" about="and facts about it" />
                <SettingItem
                  icon="phone"
                  title="An item with a name that is long enough to take more than one line on a phone"
                  about="and an action"
                  actions={<Button look="plain">Sign out</Button>}
                />
                <SettingItem
                  icon="passkey"
                  title="An item that is being changed"
                  about="and what can be changed"
                  more={{
                    label: 'Change',
                    name: 'the item',
                    open: true,
                    children: (
                      <form class="line-form">
                        <p>What is lost is said before the button.</p>
                        <Button look="danger">Remove</Button>
                      </form>
                    ),
                  }}
                />
              </SettingItems>
            </Setting>
          </div>
        </ExampleFrame>
      ),
    },
    choices: {
      layout: 'app',
      page: (
        <ExampleFrame>
          <PageHead title="Choices" />
          <Specimen name="Check">
            <Check id="box" type="checkbox" label="Box" />
            <Check id="ticked" type="checkbox" label="Ticked" note="With a note" defaultChecked />
            <Check id="boxed" type="checkbox" label="Disabled" defaultChecked disabled />
            <Check id="one-of" type="radio" name="one" label="One of several" />
            <Check id="chosen" type="radio" name="one" label="Chosen" note="With a note" defaultChecked />
          </Specimen>
          <Specimen name="Switch">
            <Switch id="off" name="off" label="Off" />
            <Switch id="on" name="on" label="On" note="With a note" defaultChecked />
            <Switch id="fixed" name="fixed" label="Disabled" defaultChecked disabled />
          </Specimen>
          <Specimen name="ChoiceSegments">
            <p id="days-label">Available</p>
            <ChoiceSegments
              name="days"
              labelledBy="days-label"
              value="7"
              choices={[3, 7, 14, 30].map((days) => ({
                value: String(days),
                label: `${days} days`,
                hint: `The consequence of ${days} days`,
              }))}
            />
          </Specimen>
          <Specimen name="RevealedSecret">
            <RevealedSecret value="wbk_9vK2mQ7xT4pLr8sDn3HcwQ5vZx2Lk8Rt" label="Key">
              Copy the key of <strong>ERP export</strong> now. It isn’t shown again.
            </RevealedSecret>
          </Specimen>
          <Specimen name="SaveBar">
            <SaveBar />
            <SaveBar unsaved="Time zone and Language" />
          </Specimen>
        </ExampleFrame>
      ),
    },
    composer: {
      layout: 'app',
      page: (
        <ExampleFrame current="send">
          <PageHead title="Composer" />
          <Specimen name="DropArea">
            <DropArea maxFiles={100} maxFileBytes={50e9} labels="files">
              <input id="files" type="file" aria-describedby="files-hint" />
            </DropArea>
          </Specimen>
          <Specimen name="ReceiversField, without a script">
            <label id="receiver-label" for="receiver">
              To
            </label>
            <ReceiversField value="kim.park@northwind.example, Auditors" href="#people" />
          </Specimen>
          {bars.map(([state, each]) => (
            <Specimen key={state} name={`ComposerBar: ${state}`}>
              <div class="send-bar">
                <ComposerBar
                  kind="send"
                  receiverCount={each.fileCount === 0 ? 0 : 3}
                  hasMessage={false}
                  notify
                  progress={each}
                />
              </div>
            </Specimen>
          ))}
          <div class="specimen-grid">
            {previews.map(([state, change]) => (
              <Specimen key={state} name={`ComposerPreview: ${state}`}>
                <div class="preview">
                  <ComposerPreview {...preview} {...change} />
                </div>
              </Specimen>
            ))}
          </div>
        </ExampleFrame>
      ),
    },
    'sign-in-frame': {
      layout: 'sign-in',
      page: (
        <SignInFrame
          title="Sign in"
          about="A line about the page"
          host="files.northwind.example"
          forReceivers={{ mailFrom: 'files@northwind.example' }}
        >
          <PasskeyButton does="sign-in" {...routes} />
          <p class="or">or</p>
          <form class="sign-in-fields">
            <Field id="email" type="email" label="Address" dir="ltr" />
            <PasswordField id="password" name="password" label="Password" autocomplete="current-password" />
            <Button>Continue</Button>
          </form>
          <ButtonLink href="#provider" icon="globe">
            Continue with a provider
          </ButtonLink>
          <QrCode text="otpauth://totp/example?secret=JBSWY3DPEHPK3PXP" label="QR code" />
        </SignInFrame>
      ),
    },
  };
}
