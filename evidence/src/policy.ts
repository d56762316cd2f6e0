import { parseDecimal } from './bytes.ts';
import { parseVerifierKey } from './keys.ts';
import type { Verifier } from './note.ts';

/** The keys that a verifier trusts (C2SP tlog-policy). */
export interface Policy {
  /** The keys of logs; the name of a key is the origin of its log. One log may have several keys. */
  readonly logs: readonly Verifier[];
  /** The witnesses by their names in the policy, which need not be the names of their keys. */
  readonly witnesses: ReadonlyMap<string, Verifier>;
  /** The address of a log or witness, where the policy has one. */
  readonly urls: ReadonlyMap<Verifier, string>;
  /** Tells whether cosignatures of these keys are enough. */
  isQuorum(cosigners: Iterable<Verifier>): boolean;
}

/** A text that is not a policy. The message names the line. */
export class PolicyError extends Error {
  override readonly name = 'PolicyError';
}

const maxLines = 10_000;

export function parsePolicy(text: string): Policy {
  const lines = text.split('\n');
  if (lines.length > maxLines) throw new PolicyError(`a policy has at most ${maxLines} lines`);
  const logs: Verifier[] = [];
  const witnesses = new Map<string, Verifier>();
  const urls = new Map<Verifier, string>();
  /** The rule of each witness and group: whether it has cosigned, given the keys that have. */
  const rules = new Map<string, (cosigners: ReadonlySet<Verifier>) => boolean>();
  const members = new Set<string>();
  let quorum: string | undefined;

  const define = (name: string, rule: (cosigners: ReadonlySet<Verifier>) => boolean) => {
    if (name === 'none' || rules.has(name)) throw new PolicyError(`the name ${name} is taken`);
    rules.set(name, rule);
  };
  const readKey = (key: string | undefined, url: string | undefined, isWitness: boolean): Verifier => {
    const verifier = parseVerifierKey(key ?? '');
    if (verifier.type === (isWitness ? 1 : 4)) throw new PolicyError(`the key of ${verifier.name} has the wrong type`);
    const others = isWitness ? [...witnesses.values()] : logs;
    if (others.some((other) => String(other.publicKey) === String(verifier.publicKey)))
      throw new PolicyError(`the public key of ${verifier.name} occurs twice`);
    if (url) urls.set(verifier, url);
    return verifier;
  };
  const statements: Record<string, (...items: string[]) => void> = {
    log(key, url, ...rest) {
      expectEnd(rest);
      logs.push(readKey(key, url, false));
    },
    witness(name = '', key, url, ...rest) {
      expectEnd(rest);
      const verifier = readKey(key, url, true);
      define(name, (cosigners) => cosigners.has(verifier));
      witnesses.set(name, verifier);
    },
    group(name = '', threshold = '', ...names) {
      const required = { all: names.length, any: 1 }[threshold] ?? parseDecimal(threshold) ?? 0;
      if (required < 1 || required > names.length)
        throw new PolicyError(`group ${name} needs "all", "any" or a number, and at least as many members`);
      const memberRules = names.map((member) => {
        const rule = rules.get(member);
        if (!rule) throw new PolicyError(`${member} is not defined above`);
        if (members.has(member)) throw new PolicyError(`${member} is a member twice`);
        members.add(member);
        return rule;
      });
      define(name, (cosigners) => memberRules.filter((rule) => rule(cosigners)).length >= required);
    },
    quorum(name = '', ...rest) {
      expectEnd(rest);
      if (quorum !== undefined) throw new PolicyError('there are two quorum lines');
      if (name !== 'none' && !rules.has(name)) throw new PolicyError(`${name} is not defined above`);
      quorum = name;
    },
  };
  lines.forEach((line, position) => {
    const [keyword = '', ...items] = line.split(/[ \t]+/).filter(Boolean);
    if (keyword === '' || keyword.startsWith('#')) return;
    try {
      if (/[\u0000-\u0008\u000a-\u001f\u007f]/.test(line)) throw new PolicyError('it contains a control character');
      if (!Object.hasOwn(statements, keyword)) throw new PolicyError(`${keyword} is not a word of policies`);
      statements[keyword]?.(...items);
    } catch (error) {
      throw new PolicyError(`line ${position + 1}: ${error instanceof Error ? error.message : String(error)}`);
    }
  });
  if (quorum === undefined) throw new PolicyError('add a line "quorum NAME", or "quorum none" to need no witnesses');
  const rule = rules.get(quorum) ?? (() => true);
  return { logs, witnesses, urls, isQuorum: (cosigners) => rule(new Set(cosigners)) };
}

function expectEnd(rest: readonly string[]): void {
  if (rest.length > 0) throw new PolicyError(`${rest[0]} is one item too many`);
}

/** Returns a policy of these logs, with the lines of witnesses, groups and the quorum as they are given. */
export function formatPolicy(logs: readonly { key: string; url?: string }[], rules = 'quorum none\n'): string {
  const policy = `${logs.map(({ key, url }) => `log ${key}${url ? ` ${url}` : ''}\n`).join('')}${rules}`;
  parsePolicy(policy);
  return policy;
}
