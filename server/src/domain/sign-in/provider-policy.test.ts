import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import type { ProviderClaims, ProviderRules } from '../ports/identity-provider.ts';
import {
  decideProviderSignIn,
  findProviderAddress,
  findProviderMemberships,
  type KnownPeople,
} from './provider-policy.ts';

const domains = { domains: ['example.org'], claim: undefined };
const claim = { domains: undefined, claim: { path: ['roles'], values: ['waybill', 'files'] } };
const rules: ProviderRules = {
  id: 'staff',
  name: 'Staff',
  requireEmailVerified: true,
  createPeople: domains,
  memberships: [],
};
const claims: ProviderClaims = {
  provider: 'staff',
  issuer: 'https://login.example.org',
  subject: '42',
  sid: undefined,
  email: 'Alice@Example.org',
  emailVerified: true,
  name: 'Alice',
  language: 'sv',
  groups: undefined,
  creationClaim: undefined,
};
const nobody: KnownPeople = { byIdentity: undefined, byEmail: undefined };
const create = { action: 'create', email: 'alice@example.org' };
const refuse = (reason: string) => ({ action: 'refuse', reason });

describe('a sign-in', () => {
  test.each<[string, Partial<ProviderRules>, Partial<ProviderClaims>, Partial<KnownPeople>, object]>([
    ['a known identity', {}, {}, { byIdentity: 'alice' }, { action: 'sign_in', personId: 'alice' }],
    [
      'a known identity without an address',
      { createPeople: undefined },
      { email: undefined },
      { byIdentity: 'alice' },
      { action: 'sign_in', personId: 'alice' },
    ],
    [
      'a known identity with the address of another person',
      {},
      {},
      { byIdentity: 'alice', byEmail: 'bob' },
      { action: 'sign_in', personId: 'alice' },
    ],
    [
      'an address of a person',
      {},
      {},
      { byEmail: 'alice' },
      { action: 'prove_address', personId: 'alice', email: 'alice@example.org' },
    ],
    [
      'an address of a person, where nobody is created',
      { createPeople: undefined },
      {},
      { byEmail: 'alice' },
      { action: 'prove_address', personId: 'alice', email: 'alice@example.org' },
    ],
    [
      'an unverified address of a person',
      {},
      { emailVerified: false },
      { byEmail: 'alice' },
      refuse('email_not_verified'),
    ],
    [
      'an address of a person that need not be verified',
      { requireEmailVerified: false },
      { emailVerified: undefined },
      { byEmail: 'alice' },
      { action: 'prove_address', personId: 'alice', email: 'alice@example.org' },
    ],
    ['a person who adds the provider', {}, {}, { bySession: 'alice' }, { action: 'link', personId: 'alice' }],
    [
      'a person who adds the provider under another address',
      {},
      { email: 'a@other.example', emailVerified: false },
      { bySession: 'alice', byEmail: 'bob' },
      { action: 'link', personId: 'alice' },
    ],
    [
      'a person who adds the provider again',
      {},
      {},
      { bySession: 'alice', byIdentity: 'alice' },
      { action: 'sign_in', personId: 'alice' },
    ],
    [
      'a person who adds the identity of another',
      {},
      {},
      { bySession: 'alice', byIdentity: 'bob' },
      refuse('identity_of_another_person'),
    ],
    ['a new person of an allowed domain', {}, {}, {}, create],
    ['a new person without an address', {}, { email: undefined }, {}, refuse('email_missing')],
    ['a new person with an unusable address', {}, { email: '"a b"@example.org' }, {}, refuse('email_unusable')],
    [
      'a new person with two addresses',
      {},
      { email: 'alice@evil.example,bob@example.org' },
      {},
      refuse('email_unusable'),
    ],
    ['a new person with an unverified address', {}, { emailVerified: false }, {}, refuse('email_not_verified')],
    [
      'a new person whose address may be verified or not',
      {},
      { emailVerified: undefined },
      {},
      refuse('email_not_verified'),
    ],
    [
      'a new person whose address need not be verified',
      { requireEmailVerified: false },
      { emailVerified: false },
      {},
      create,
    ],
    ['a new person of another domain', {}, { email: 'alice@example.com' }, {}, refuse('domain_not_allowed')],
    ['a new person of a subdomain', {}, { email: 'alice@sub.example.org' }, {}, refuse('domain_not_allowed')],
    [
      'a new person of a domain with the same end',
      {},
      { email: 'alice@anexample.org' },
      {},
      refuse('domain_not_allowed'),
    ],
    ['a new person with an allowed claim', { createPeople: claim }, { creationClaim: ['x', 'files'] }, {}, create],
    [
      'a new person with another claim',
      { createPeople: claim },
      { creationClaim: ['x'] },
      {},
      refuse('claim_not_allowed'),
    ],
    ['a new person without the claim', { createPeople: claim }, {}, {}, refuse('claim_not_allowed')],
    [
      'a new person with a claim, and of another domain',
      { createPeople: { ...claim, domains: ['example.com'] } },
      { creationClaim: ['files'] },
      {},
      refuse('domain_not_allowed'),
    ],
    [
      'a new person of the domain, and without the claim',
      { createPeople: { ...claim, domains: ['example.org'] } },
      {},
      {},
      refuse('claim_not_allowed'),
    ],
    ['a new person where nobody is created', { createPeople: undefined }, {}, {}, refuse('creation_off')],
    [
      'a new person where there is no condition',
      { createPeople: { domains: undefined, claim: undefined } },
      {},
      {},
      refuse('creation_off'),
    ],
  ])('of %s', (_who, changedRules, changedClaims, known, expected) => {
    const decision = decideProviderSignIn(
      { ...rules, ...changedRules },
      { ...claims, ...changedClaims },
      { ...nobody, ...known },
    );
    expect(decision).toEqual(expected);
  });

  const person = fc.constantFrom(undefined, 'alice', 'bob');
  const email = fc.option(
    fc.oneof(
      fc.emailAddress(),
      fc.string(),
      fc.constantFrom('alice@example.org', 'ALICE@EXAMPLE.ORG', 'a@sub.example.org'),
    ),
    { nil: undefined },
  );
  const anyClaims = fc.record({
    email,
    emailVerified: fc.constantFrom(true, false, undefined),
    creationClaim: fc.option(fc.array(fc.constantFrom('waybill', 'other')), { nil: undefined }),
  });
  const anyRules = fc.record({
    requireEmailVerified: fc.boolean(),
    createPeople: fc.constantFrom(undefined, domains, claim, { ...claim, domains: ['example.org'] }),
  });
  const anyKnown = fc.record({ byIdentity: person, byEmail: person, bySession: person });

  property.prop([anyRules, anyClaims, anyKnown])(
    'reaches a person only by identity or by session',
    (given, said, known) => {
      const decision = decideProviderSignIn({ ...rules, ...given }, { ...claims, ...said }, known);
      if (decision.action === 'sign_in') expect(decision.personId).toBe(known.byIdentity);
      if (decision.action === 'link') {
        expect(decision.personId).toBe(known.bySession);
        expect(known.byIdentity).toBeUndefined();
      }
      if (decision.action === 'prove_address') expect(decision.personId).toBe(known.byEmail);
      if (decision.action === 'create')
        expect(known).toEqual({ byIdentity: undefined, byEmail: undefined, bySession: undefined });
    },
  );

  property.prop([anyRules, anyClaims, anyKnown])('by an address needs one that is verified', (given, said, known) => {
    const decision = decideProviderSignIn({ ...rules, ...given }, { ...claims, ...said }, known);
    if (decision.action !== 'create' && decision.action !== 'prove_address') return;
    expect(said.emailVerified === true || !given.requireEmailVerified).toBe(true);
    expect(decision.email).toBe(findProviderAddress(said));
  });

  property.prop([anyRules, anyClaims])('creates people only by a condition of the operator', (given, said) => {
    const decision = decideProviderSignIn({ ...rules, ...given }, { ...claims, ...said }, nobody);
    if (decision.action !== 'create') return;
    const { createPeople } = given;
    expect(createPeople).toBeDefined();
    if (createPeople?.domains) expect(decision.email.endsWith('@example.org')).toBe(true);
    if (createPeople?.claim) expect(said.creationClaim).toContain('waybill');
  });
});

describe('memberships by group', () => {
  const memberships = [
    { group: 'chiefs', account: 'orders@example.org', role: 'owner' },
    { group: 'staff', account: 'orders@example.org', role: 'member' },
    { group: 'staff', account: 'press@example.org', role: 'reader' },
  ] as const;
  const [owner, member, reader] = memberships;

  test.each<[string, readonly string[] | undefined, readonly object[] | undefined]>([
    ['one group', ['staff'], [member, reader]],
    ['two groups with the same account', ['staff', 'chiefs'], [owner, reader]],
    ['other groups', ['Staff', 'others'], []],
    ['no groups', [], []],
    ['groups that are not known', undefined, undefined],
  ])('of %s', (_what, groups, expected) => {
    expect(findProviderMemberships({ memberships }, { groups })).toEqual(expected);
  });
});
