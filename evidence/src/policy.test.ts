import { describe, expect, test } from 'vitest';
import { formatPolicy, parsePolicy } from './policy.ts';
import { createTestKey } from './testing/test-log.ts';

const log = createTestKey('example.org/log', 1).vkey;
const witnessKeys = ['X1', 'X2', 'X3', 'Y1', 'Y2', 'Y3'].map(
  (name) => [name, createTestKey(`example.org/${name}`, 4).vkey] as const,
);
const lines = witnessKeys.map(([name, vkey]) => `witness ${name} ${vkey}\n`);
/** The example of tlog-policy. */
const example = `log ${log}

${lines.slice(0, 3).join('')}group X-witnesses 2 X1 X2 X3

${lines.slice(3).join('')}group Y-witnesses any Y1 Y2 Y3

group X-and-Y all X-witnesses Y-witnesses
quorum X-and-Y
`;

describe('a policy', () => {
  test.each([
    ['', false],
    ['X1 X2', false],
    ['X1 Y1', false],
    ['Y1 Y2 Y3', false],
    ['X1 X3 Y2', true],
    ['X1 X2 X3 Y1 Y2 Y3', true],
  ])('of groups in groups: %j', (names, isQuorum) => {
    const policy = parsePolicy(example);
    const cosigners = names.split(' ').flatMap((name) => policy.witnesses.get(name) ?? []);
    expect(policy.isQuorum(cosigners)).toBe(isQuorum);
    expect(policy.isQuorum([...cosigners, ...cosigners])).toBe(isQuorum);
  });
  test('may need no witness, or a single one', () => {
    expect(parsePolicy('quorum none').isQuorum([])).toBe(true);
    const single = parsePolicy(`${lines[0]}quorum X1\n`);
    expect(single.isQuorum([])).toBe(false);
    expect(single.isQuorum(single.witnesses.values())).toBe(true);
  });
  test('keeps addresses, and ignores comments and white space', () => {
    const policy = parsePolicy(`# a\n\t # b\n \tlog\t${log}  https://example.org/log \n${lines[0]}quorum none`);
    expect([...policy.urls.values()]).toEqual(['https://example.org/log']);
    expect(policy.logs.map(({ name }) => name)).toEqual(['example.org/log']);
  });
  test('is written with the lines of its witnesses', () => {
    expect(formatPolicy([{ key: log }, { key: createTestKey('example.org/2', 6).vkey, url: 'https://e.org' }])).toMatch(
      /^log example\.org\/log\+\S+\nlog example\.org\/2\+\S+ https:\/\/e\.org\nquorum none\n$/,
    );
    expect(() => formatPolicy([{ key: 'x' }])).toThrow('line 1');
  });
  const [witness = ''] = lines;
  test.each([
    ['no quorum', `log ${log}`, 'quorum none'],
    ['two quorums', 'quorum none\nquorum none', 'line 2: there are two'],
    ['a quorum that is defined below', `quorum X1\n${witness}`, 'line 1: X1 is not defined above'],
    ['an unknown member', `${witness}group g all X1 X2\nquorum g`, 'X2 is not defined above'],
    ['a member twice', `${witness}group g 1 X1 X1\nquorum g`, 'X1 is a member twice'],
    ['a member of two groups', `${witness}group g any X1\ngroup h any X1\nquorum g`, 'X1 is a member twice'],
    ['none as a member', `${witness}group g any none\nquorum g`, 'none is not defined above'],
    ['a group without members', 'group g all\nquorum g', 'at least as many members'],
    ['a threshold of 0', `${witness}group g 0 X1\nquorum g`, 'at least as many members'],
    ['a threshold that is too large', `${witness}group g 2 X1\nquorum g`, 'at least as many members'],
    ['a threshold in another form', `${witness}group g 01 X1\nquorum g`, 'at least as many members'],
    ['a name twice', `${witness}group X1 any X1\nquorum X1`, 'the name X1 is taken'],
    ['a reserved name', witness.replace('X1', 'none'), 'the name none is taken'],
    ['a log twice', `log ${log}\nlog ${log}\nquorum none`, 'occurs twice'],
    ['a witness twice', `${witness}${witness.replace('X1', 'Z')}quorum none`, 'occurs twice'],
    ['a log as a witness', `witness X1 ${log}\nquorum X1`, 'wrong type'],
    ['a witness as a log', `log ${witness.split(' ')[2]}quorum none`, 'wrong type'],
    ['an unknown word', 'toString x\nquorum none', 'not a word of policies'],
    ['an item too many', 'quorum none x', 'one item too many'],
    ['a carriage return', 'quorum none\r\n', 'control character'],
    ['a damaged key', `log ${log.slice(0, -4)}AAA=\nquorum none`, 'line 1'],
  ])('with %s is refused', (_, text, message) => {
    expect(() => parsePolicy(text)).toThrow(message);
  });
});
