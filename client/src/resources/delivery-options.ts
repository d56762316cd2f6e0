import type { PostOptions } from '../call-options.ts';
import { WaybillError } from '../errors.ts';
import type { NewFileRequest, NewReceiver } from '../generated/wire.ts';

/** To whom something is sent, and until when. */
export interface DeliveryOptions extends PostOptions {
  /** The receivers, who need not be contacts. What is not given is taken from the contact with the address. */
  to: readonly (string | NewReceiver)[];
  /** What receivers read in the mail and on their page. */
  message?: string | undefined;
  /** For how many days the links can be used; the server's default if not given. */
  days?: number | undefined;
  /** `false`: receivers get no mails, and the answer has their links, for you to send. */
  notify?: boolean | undefined;
  /** Your own identifier for it. */
  externalId?: string | undefined;
}

type DeliveryFields = Pick<NewFileRequest, 'receivers' | 'message' | 'expires_in' | 'notify' | 'external_id'>;

const secondsPerDay = 86_400;

/** The same in the names of the API. */
export function toDeliveryFields({ to, message, days, notify, externalId }: DeliveryOptions): DeliveryFields {
  if (to.length === 0) throw new WaybillError('no_receivers', 'Name at least one receiver.');
  return {
    receivers: to.map((receiver) => (typeof receiver === 'string' ? { email: receiver } : receiver)),
    ...(message === undefined ? {} : { message }),
    ...(days === undefined ? {} : { expires_in: days * secondsPerDay }),
    ...(notify === undefined ? {} : { notify }),
    ...(externalId === undefined ? {} : { external_id: externalId }),
  };
}
