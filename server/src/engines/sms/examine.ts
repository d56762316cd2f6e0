import type { Finding } from '../../domain/doctor/finding.ts';
import { fault, ok, reachRemedy, warning } from '../../domain/doctor/finding.ts';
import { describeFailure, requestTo, type SmsGatewayOptions } from './gateway.ts';

/**
 * A request without a receiver shows whether the gateway accepts the credentials, which it checks first, and sends
 * nothing.
 */
export async function* examineSms(options: SmsGatewayOptions): AsyncGenerator<Finding> {
  let status: number;
  try {
    const response = await requestTo(options, { text: 'waybilld admin doctor' });
    status = response.status;
    await response.body?.cancel();
  } catch (error) {
    const remedy = 'Start it, check that this machine may connect to it, or correct WAYBILL_SMS_URL.';
    const says = `The SMS gateway is out of reach: ${describeFailure(error)}.`;
    yield fault('sms.reachable', says, reachRemedy(error, remedy));
    return;
  }
  if (status === 401 || status === 403) {
    const remedy =
      'Correct the user and the password in WAYBILL_SMS_URL. In Kannel, they are in the group sendsms-user, which can also restrict the client’s address.';
    yield fault('sms.login', `The SMS gateway refuses our credentials (${status}).`, remedy);
    return;
  }
  if (status === 400 || status === 422) {
    yield ok('sms.login', 'The SMS gateway accepts us. No SMS was sent.');
    return;
  }
  yield status >= 500
    ? warning('sms.reachable', `The SMS gateway responds with ${status}.`, 'Look at the log of the gateway.')
    : fault(
        'sms.reachable',
        `This is not an SMS gateway: it responds with ${status}.`,
        'Correct the path in WAYBILL_SMS_URL.',
      );
}
