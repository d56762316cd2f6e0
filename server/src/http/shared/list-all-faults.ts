import AjvCompiler from '@fastify/ajv-compiler';
import type { FastifySchema, FastifySchemaCompiler } from 'fastify';
import type { App } from './app.ts';
import { type Finding, validatorOptions } from './validation-message.ts';

/** Beyond it, only the first fault is reported, because each of them takes time. */
const maxValues = 5_000;
/** Enough to help a person. */
export const maxFindings = 100;

interface Validator {
  (value: unknown): boolean;
  errors?: Finding[] | null;
}

/**
 * Makes the operations of a scope report everything that is wrong with a request. Valid requests are checked as fast as
 * before: only one that was refused is checked again, without stopping at its first fault.
 */
export function listAllFaults(app: App): void {
  const build = AjvCompiler();
  const [compile, compileThorough] = [false, true].map((allErrors) =>
    build({}, { customOptions: { ...validatorOptions, allErrors } }),
  ) as unknown as [(route: unknown) => Validator, (route: unknown) => Validator];
  app.setValidatorCompiler((route) => {
    const isValid = compile(route);
    let thorough: Validator | undefined;
    const validate = ((value) => {
      if (isValid(value)) return true;
      validate.errors = isValid.errors ?? null;
      if (countValues(value, maxValues) < maxValues) {
        thorough ??= compileThorough(route);
        thorough(value);
        validate.errors = selectFindings(thorough.errors ?? []);
      }
      return false;
    }) as Validator & ReturnType<FastifySchemaCompiler<FastifySchema>>;
    return validate;
  });
}

/** Counts the values in a value, no further than `max`. */
function countValues(value: unknown, max: number): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  for (const item of Object.values(value)) {
    if (count >= max) return max;
    count += countValues(item, max - count);
  }
  return count;
}

/**
 * Leaves out what says the same again. A choice and each of its alternatives are findings of their own: if all findings are
 * about one alternative besides null, they say more than the choice; otherwise the choice does.
 */
export function selectFindings(findings: readonly Finding[]): Finding[] {
  const dropped = new Set<Finding>();
  for (const choice of findings.filter(({ keyword }) => keyword === 'anyOf')) {
    const ofChoice = findings.filter(
      (finding) =>
        finding.schemaPath.startsWith(`${choice.schemaPath}/`) && finding.instancePath.startsWith(choice.instancePath),
    );
    const telling = ofChoice.filter(({ keyword, params }) => keyword !== 'type' || params['type'] !== 'null');
    const alternatives = new Set(
      telling.map(({ schemaPath }) => schemaPath.slice(choice.schemaPath.length + 1).split('/')[0]),
    );
    const useless = alternatives.size === 1 ? [choice, ...ofChoice.filter((one) => !telling.includes(one))] : ofChoice;
    for (const finding of useless) dropped.add(finding);
  }
  return findings.filter((finding) => !dropped.has(finding)).slice(0, maxFindings);
}
