/** Where `npm run engines -- up` puts the real engines. Tests use their own names inside them. */
export const engineAddresses = {
  postgres: 'postgres://postgres@127.0.0.1:5544',
  s3: {
    endpoint: 'http://127.0.0.1:7480',
    region: 'us-east-1',
    accessKeyId: 'waybill',
    secretAccessKey: 'waybill-secret',
  },
  valkey: 'redis://127.0.0.1:6399/5',
  clamd: '127.0.0.1:3310',
  smtp: 'smtp://127.0.0.1:2525',
  sms: { address: 'http://127.0.0.1:13013/cgi-bin/sendsms', username: 'waybill', password: 'waybill' },
} as const;
