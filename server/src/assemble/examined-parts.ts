/** The parts that the doctor examines, in the order in which findings are shown. */
export const examinedParts = [
  'configuration',
  'machine',
  'keys',
  'postgres',
  'valkey',
  's3',
  'log',
  'clamd',
  'mail',
  'bounces',
  'sms',
  'providers',
  'audit',
  'tls',
  'proxy',
] as const;
export type ExaminedPart = (typeof examinedParts)[number];
