/** Values in the reference’s examples of fields that only the machine API has. */
export const machineExamples = {
  number: '46701234567',
  nick: 'Anna',
  lang: 'sv',
  ttl: '604800',
  create_time: '1896091200',
  createtime: '1896091200',
  ddmessage: 'The drawings of May.',
  first_run: 'false',
  change_passwd: 'false',
  live_drops: '1',
};
