import { type Command, InvalidArgumentError } from 'commander';
import type { EventType } from '../../generated/wire.ts';
import type { Context } from '../context.ts';
import { addExamples, choicesOption, limitOption, parseTime } from '../options.ts';
import { type ListenCommandOptions, listen } from './listen.ts';
import {
  type CreateWebhookCommandOptions,
  createWebhook,
  deleteWebhook,
  disableWebhook,
  enableWebhook,
  listAttempts,
  listWebhooks,
  type ReplayCommandOptions,
  replayEvents,
  testWebhook,
} from './webhooks.ts';

/** Exhaustive: a new type does not compile until it is added here. */
const eventTypes = Object.keys({
  'drop.created': true,
  'drop.notified': true,
  'drop.undeliverable': true,
  'drop.opened': true,
  'drop.file_delivered': true,
  'drop.receiver_completed': true,
  'drop.completed': true,
  'drop.link_created': true,
  'drop.link_opened': true,
  'drop.link_downloaded': true,
  'drop.link_revoked': true,
  'drop.receiver_added': true,
  'drop.receiver_revoked': true,
  'drop.extended': true,
  'drop.expired': true,
  'drop.revoked': true,
  'drop.restored': true,
  'request.created': true,
  'request.notified': true,
  'request.undeliverable': true,
  'request.opened': true,
  'request.received': true,
  'request.fulfilled': true,
  'request.receiver_added': true,
  'request.receiver_revoked': true,
  'request.extended': true,
  'request.expired': true,
  'request.revoked': true,
  'request.restored': true,
  'inbox.received': true,
  'inbox.parked': true,
  'test.message_kept': true,
  'contact.changed': true,
  'contact.deleted': true,
} satisfies Record<EventType, true>) as EventType[];

const webhookDescription = 'its URL or its id';

/** Adds the commands for webhooks and events. */
export function addWebhookCommands(program: Command, context: () => Context): void {
  const webhooks = addExamples(
    program.command('webhooks').description('manage the account’s webhooks, and print events'),
    'waybill webhooks list',
    'waybill webhooks listen --forward http://127.0.0.1:8000/',
  );
  addExamples(
    webhooks
      .command('list')
      .description('list the account’s webhooks')
      .action(() => listWebhooks(context())),
    'waybill webhooks list',
  );
  addExamples(
    webhooks
      .command('create')
      .description('create a webhook, and print the secret that signs its events')
      .argument('<url>', 'an https URL')
      .addOption(choicesOption('--type <type>', 'send only events of this type; can be repeated', eventTypes))
      .option('--description <text>', 'what it is for')
      .action((url: string, options: CreateWebhookCommandOptions) => createWebhook(context(), url, options)),
    'waybill webhooks create https://example.org/waybill --type drop.completed --type inbox.received',
  );
  addExamples(
    webhooks
      .command('delete')
      .description('delete a webhook: no more events are sent to it')
      .argument('<webhook>', webhookDescription)
      .option('--yes', 'do not ask for confirmation')
      .action((webhook: string, options: { yes?: boolean }) => deleteWebhook(context(), webhook, options)),
    'waybill webhooks delete https://example.org/waybill --yes',
  );
  addExamples(
    webhooks
      .command('enable')
      .description('enable a webhook that was disabled')
      .argument('<webhook>', webhookDescription)
      .action((webhook: string) => enableWebhook(context(), webhook)),
    'waybill webhooks enable https://example.org/waybill',
  );
  addExamples(
    webhooks
      .command('disable')
      .description('stop sending events to a webhook until it is enabled again')
      .argument('<webhook>', webhookDescription)
      .action((webhook: string) => disableWebhook(context(), webhook)),
    'waybill webhooks disable https://example.org/waybill',
  );
  addExamples(
    webhooks
      .command('test')
      .description('send an event of the type webhook.test to a webhook, and show the response')
      .argument('<webhook>', webhookDescription)
      .action((webhook: string) => testWebhook(context(), webhook)),
    'waybill webhooks test https://example.org/waybill',
  );
  addExamples(
    webhooks
      .command('attempts')
      .description('list the requests that were sent to a webhook')
      .argument('<webhook>', webhookDescription)
      .addOption(limitOption())
      .action((webhook: string, options: { limit?: number }) => listAttempts(context(), webhook, options)),
    'waybill webhooks attempts https://example.org/waybill --limit 20',
  );
  addExamples(
    webhooks
      .command('replay')
      .description('send one event to a webhook again, or all events since a time')
      .argument('<webhook>', webhookDescription)
      .option('--event <id>', 'the event')
      .option('--since <time>', 'all events since this time, such as 2030-01-31T12:00', parseTime)
      .action((webhook: string, options: ReplayCommandOptions) => replayEvents(context(), webhook, options)),
    'waybill webhooks replay https://example.org/waybill --since 2030-01-31T12:00',
    'waybill webhooks replay https://example.org/waybill --event 6a0c5f4e-93b5-4c0b-8a37-2f5d1f0d3c11',
  );
  addExamples(
    webhooks
      .command('listen')
      .description('print events as they happen, without a webhook')
      .addOption(choicesOption('--type <type>', 'only events of this type; can be repeated', eventTypes))
      .option('--forward <url>', 'also send them to this URL, signed like those of a webhook', parseWebUrl)
      .option('--secret <secret>', 'sign with this secret (default: WAYBILL_WEBHOOK_SECRET, or a new one)')
      .action((options: ListenCommandOptions) => listen(context(), options)),
    'waybill webhooks listen',
    'waybill webhooks listen --type drop.completed --forward http://127.0.0.1:8000/waybill',
  );
}

function parseWebUrl(text: string): URL {
  const url = URL.parse(text);
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new InvalidArgumentError('Use a URL such as http://127.0.0.1:8000/waybill.');
}
