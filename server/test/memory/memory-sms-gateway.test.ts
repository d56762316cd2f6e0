import { smsGatewayContract } from '../contracts/sms-gateway-contract.ts';
import { memorySmsGateway } from './memory-sms-gateway.ts';

const gateway = memorySmsGateway();

smsGatewayContract('the gateway in memory', gateway, async (phone) =>
  gateway.sent.filter(({ to }) => to === phone).map(({ text }) => text),
);
