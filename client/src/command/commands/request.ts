import { toDeliveryFields } from '../../resources/delivery-options.ts';
import { toAskedFields } from '../../resources/requests.ts';
import { type Context, withClient } from '../context.ts';
import { formatLifetime, formatTime, pluralize } from '../terminal/format.ts';
import { type DeliveryCommandOptions, toDelivery } from './delivery.ts';
import { printLinks } from './send.ts';

export interface RequestCommandOptions extends DeliveryCommandOptions {
  reusable?: boolean;
  wanted?: string[];
}

export async function requestFiles(context: Context, options: RequestCommandOptions): Promise<void> {
  const { output, signal } = context;
  const { to, key } = options;
  if (options.dryRun) return await checkRequest(context, options);
  const request = await withClient(context, (client) =>
    client.request({ ...toDelivery(options), ...toAsked(options), idempotencyKey: key, signal }),
  );
  const { id, reference, expires_at: end } = request;
  await output.print(`Asked ${to.join(', ')} for files as ${reference}, until ${formatTime(end)}.`, {
    status: 'requested',
    id,
    reference,
    expires_at: end,
    to,
  });
  await printLinks(output, request.receivers);
}

const toAsked = ({ reusable, wanted: wantedFiles }: RequestCommandOptions) => ({ reusable, wantedFiles });

/** Checks everything, and sends nothing. */
async function checkRequest(context: Context, options: RequestCommandOptions): Promise<void> {
  const { output, signal } = context;
  const { receiver_count: receivers, expires_in: expiresIn } = await withClient(context, (client) =>
    client.requests.check({ ...toDeliveryFields(toDelivery(options)), ...toAskedFields(toAsked(options)) }, { signal }),
  );
  const whom = pluralize(receivers, 'receiver');
  await output.print(`Nothing was sent. ${whom} can be asked for files, for ${formatLifetime(expiresIn)}.`, {
    status: 'checked',
    receivers,
    expires_in: expiresIn,
  });
}
