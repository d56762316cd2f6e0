// JSON that is broken, too deep, too large or of the wrong shape.
import { type AttackRow, attackTable } from '../lib/attack-table.ts';

const mebibyte = 1024 * 1024;
const known = { email: 'new@example.org' };
const contact = (extra: string) => `[{"email":"new@example.org",${extra}}]`;

type Operation = 'contacts_add' | 'receivers_set' | 'createdrop' | 'givedrop';

function row(
  operation: Operation,
  name: string,
  body: string | Buffer,
  code: string | string[],
  status: number | number[] = 400,
): AttackRow {
  return { name, status, code, send: ({ client }) => client.post(`cgi/${operation}.cgi`, body) };
}

const broken = (name: string, body: string | Buffer) => row('contacts_add', name, body, 'malformed_request');
const invalid = (name: string, body: string) => row('contacts_add', name, body, 'invalid_input');
/** Refused by the parser or by the schema: both are correct. */
const either = (operation: Operation, name: string, body: string | Buffer) =>
  row(operation, name, body, ['malformed_request', 'invalid_input']);

attackTable('text that is no JSON', [
  broken('an empty body', ''),
  broken('white space', '  \n'),
  broken('an array that does not end', '[{"email":"new@example.org"}'),
  broken('a comma too many', '[{"email":"new@example.org"},]'),
  broken('single quotes', "[{'email':'new@example.org'}]"),
  broken('a comment', '[/* nothing */]'),
  broken('something after the end', '[] []'),
  broken('a NUL after the end', '[]\0'),
  broken('NaN', '[{"email":"new@example.org","number":NaN}]'),
  broken('a raw line break in a string', '[{"email":"new@example.org","nick":"a\nb"}]'),
  either(
    'contacts_add',
    'bytes that are not UTF-8',
    Buffer.from('[{"email":"new@example.org","nick":"\xff"}]', 'latin1'),
  ),
  either('contacts_add', 'a lone surrogate', contact('"nick":"\\ud800"')),
]);

attackTable('contacts of another shape', [
  invalid('an object', '{}'),
  invalid('null', 'null'),
  invalid('a string', '"new@example.org"'),
  invalid('a number', '1'),
  invalid('an array of strings', '["new@example.org"]'),
  invalid('an array of null', '[null]'),
  invalid('an array in an array', '[[{"email":"new@example.org"}]]'),
  invalid('no address', '[{"nick":"A"}]'),
  invalid('an address that is a number', '[{"email":1}]'),
  invalid('an address that is null', '[{"email":null}]'),
  invalid('an address that is an array', '[{"email":["new@example.org"]}]'),
  invalid('a number of six digits', contact('"number":"123456"')),
  invalid('a number with a plus', contact('"number":"+46701234567"')),
  invalid('a number with zeros first', contact('"number":"0046701234567"')),
  invalid('a number with a letter', contact('"number":"4670123456a"')),
  invalid('a number with a line feed', contact('"number":"46701234567\\n"')),
  invalid('a number in other digits', contact('"number":"٤٦٧٠١٢٣٤٥٦٧"')),
  invalid('a number with a fraction', contact('"number":46701234567.5')),
  invalid('a number below zero', contact('"number":-46701234567')),
  invalid('a number that is null', contact('"number":null')),
  either('contacts_add', 'a number without end', contact('"number":1e400')),
  invalid('a language of one letter', contact('"language":"x"')),
  invalid('a language that is a path', contact('"language":"../../etc"')),
  invalid('a language that is a number', contact('"language":1')),
  invalid('groups that are a string', contact('"groups":"press"')),
  invalid('groups of numbers', contact('"groups":[1]')),
  invalid('a group without a name', contact('"groups":[""]')),
  invalid('a nick that is an object', contact('"nick":{}')),
  invalid('a field nobody knows', contact('"admin":true')),
  invalid('the second contact wrong', `[{"email":"new@example.org"},{"email":1}]`),
]);

attackTable('names of fields that mean something to JavaScript', [
  either('contacts_add', '__proto__', contact('"__proto__":{"nick":"x"}')),
  either('contacts_add', 'an escaped __proto__', contact('"\\u005f_proto__":{"nick":"x"}')),
  either('contacts_add', 'constructor', contact('"constructor":{"prototype":{"nick":"x"}}')),
  either('createdrop', '__proto__ in a dispatch', '{"ddmessage":"x","__proto__":{"desttime":1}}'),
  either('contacts_add', 'a field twice', '[{"email":"new@example.org","email":"other@example.org"}]'),
  either('createdrop', 'desttime twice', '{"desttime":1,"desttime":2}'),
  either('createdrop', 'desttime twice, once escaped', '{"desttime":1,"\\u0064esttime":2}'),
]);

// The receivers are set and a file is staged: if one of these were accepted, a drop would appear in the history.
attackTable(
  'dispatches of another shape',
  (['createdrop', 'givedrop'] as const).flatMap((operation) => [
    row(operation, `${operation}: an array`, '[]', 'invalid_input'),
    row(operation, `${operation}: null`, 'null', 'invalid_input'),
    row(operation, `${operation}: an empty body`, '', 'malformed_request'),
    row(operation, `${operation}: desttime -1`, '{"desttime":-1}', 'invalid_input'),
    row(operation, `${operation}: desttime 0`, '{"desttime":0}', 'invalid_input'),
    row(operation, `${operation}: desttime 31`, '{"desttime":31}', 'invalid_input'),
    row(operation, `${operation}: desttime 2^53`, '{"desttime":9007199254740992}', 'invalid_input'),
    row(operation, `${operation}: desttime as a string`, '{"desttime":"5"}', 'invalid_input'),
    row(operation, `${operation}: desttime NaN`, '{"desttime":NaN}', 'malformed_request'),
    either(operation, `${operation}: desttime 1e400`, '{"desttime":1e400}'),
    row(operation, `${operation}: a message that is a number`, '{"ddmessage":5}', 'invalid_input'),
    row(operation, `${operation}: a message that is null`, '{"ddmessage":null}', 'invalid_input'),
    row(
      operation,
      `${operation}: receivers in the body`,
      '{"receivers":[{"email":"evil@example.org"}]}',
      'invalid_input',
    ),
  ]),
);

attackTable('too deep and too large', [
  either('contacts_add', '10,000 arrays in each other', '['.repeat(10_000) + ']'.repeat(10_000)),
  either('createdrop', '10,000 objects in each other', '{"a":'.repeat(10_000) + '1' + '}'.repeat(10_000)),
  row('contacts_add', '10 MiB of contacts', `[${' '.repeat(10 * mebibyte)}]`, 'too_large', 413),
  row('createdrop', '10 MiB of a message', JSON.stringify({ ddmessage: 'm'.repeat(10 * mebibyte) }), 'too_large', 413),
  row('receivers_set', '2 MiB of receivers', `[${' '.repeat(2 * mebibyte)}]`, 'too_large', 413),
  row(
    'contacts_add',
    '100,000 contacts',
    JSON.stringify(Array.from({ length: 100_000 }, (_, i) => ({ email: `p${i}@example.org` }))),
    'malformed_request',
    400,
  ),
  row(
    'contacts_add',
    'a key of a mebibyte',
    JSON.stringify([{ ...known, ['k'.repeat(mebibyte)]: 1 }]),
    ['invalid_input', 'malformed_request'],
    400,
  ),
]);
