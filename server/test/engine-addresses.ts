import { requireKind } from '../../tools/test/require-kind.ts';

requireKind('engines');

const { env } = process;

/** The engines that tests use, by default those of `npm run engines -- up`. Tests use their own names inside them. */
export const engineAddresses = {
  s3: {
    endpoint: env['WAYBILL_TEST_S3_ENDPOINT'] || 'http://127.0.0.1:7480',
    region: env['WAYBILL_TEST_S3_REGION'] || 'us-east-1',
    accessKeyId: env['WAYBILL_TEST_S3_ACCESS_KEY_ID'] || 'waybill',
    secretAccessKey: env['WAYBILL_TEST_S3_SECRET_ACCESS_KEY'] || 'waybill-secret',
  },
  valkey: env['WAYBILL_TEST_REDIS_URL'] || 'redis://127.0.0.1:6399/5',
  clamd: env['WAYBILL_TEST_CLAMD'] || '127.0.0.1:3310',
  smtp: env['WAYBILL_TEST_SMTP_URL'] || 'smtp://127.0.0.1:2525',
  sms: {
    address: env['WAYBILL_TEST_SMS_URL'] || 'http://127.0.0.1:13013/cgi-bin/sendsms',
    username: env['WAYBILL_TEST_SMS_USERNAME'] || 'waybill',
    password: env['WAYBILL_TEST_SMS_PASSWORD'] || 'waybill',
  },
} as const;
