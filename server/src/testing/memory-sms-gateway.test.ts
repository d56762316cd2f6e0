import { memorySmsGateway } from './memory-sms-gateway.ts';
import { smsGatewayContract } from './sms-gateway-contract.ts';

const gateway = memorySmsGateway();

smsGatewayContract('the gateway in memory', gateway, async (phone) =>
  gateway.sent.filter(({ to }) => to === phone).map(({ text }) => text),
);
