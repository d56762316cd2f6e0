import { type ErrorCode, type Errors, errorCodes, errors } from '@waybill/protocol';
import type { FaultCode, Problem } from '@waybill/protocol/v1';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { describeFaults, ExchangeError, type Fault } from '../../domain/exchange-error.ts';
import { refuse } from '../../http/shared/json-errors.ts';
import { maxFindings } from '../../http/shared/list-all-faults.ts';
import { type Finding, InvalidParts, toPointer, validationMessage } from '../../http/shared/validation-message.ts';
import { rateLimitHeaders } from './rate-limit.ts';

export const v1Errors = Object.fromEntries(
  errorCodes.map((code) => [code, { ...errors[code], ...errors[code].v1 }]),
) as Errors;

/** Where problems are explained. */
export const problemsPath = '/docs/problems';

const problemType = 'application/problem+json; charset=utf-8';

/** Replies with an error as a problem (RFC 9457). */
export function replyWithProblem(publicUrl: string, error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const { code, message, advice, limits, maxBytes } = refuse(error, request, reply, {
    errors: v1Errors,
    challenge: 'Bearer realm="Waybill"',
  });
  reply.headers(rateLimitHeaders(limits));
  const faults = toFaults(error);
  const problem: Problem = {
    type: `${publicUrl}${problemsPath}#${code}`,
    title: toTitle(code),
    status: v1Errors[code].status,
    detail: advice === undefined ? toDetail(code, message, faults.errors) : `${message} ${advice}`,
    code,
    ...(maxBytes === undefined ? {} : { max_size: maxBytes }),
    instance: `urn:waybill:http-request:${request.id}`,
    ...faults,
  };
  return reply.type(problemType).send(JSON.stringify(problem));
}

function toDetail(code: ErrorCode, message: string, [first, ...others]: readonly ListedFault[] = []): string {
  if (first && others.length > 0) {
    const count = others.length + 1;
    return `${count >= maxFindings ? 'At least ' : ''}${describeFaults(count, first.detail)}`;
  }
  return toMessage(code, message);
}

/** Replaces what an error says by itself, also behind the name of a file. */
function toMessage(code: ErrorCode, message: string): string {
  const { message: own } = errors[code];
  return message.endsWith(own) ? `${message.slice(0, message.length - own.length)}${v1Errors[code].message}` : message;
}

/** `scope_missing` → "Scope missing". */
export function toTitle(code: ErrorCode): string {
  const words = code.replaceAll('_', ' ');
  return `${words[0]?.toUpperCase()}${words.slice(1)}`;
}

type ListedFault = NonNullable<Problem['errors']>[number];

function toFaults(error: unknown): Pick<Problem, 'errors'> {
  const { validation, validationContext: context } = error as Partial<FastifyError>;
  if (error instanceof InvalidParts) {
    const { pointers, detail, place } = error;
    return { errors: pointers.map((pointer) => ({ ...toPlace(pointer, place), detail, code: 'invalid' })) };
  }
  if (error instanceof ExchangeError && error.faults.length > 0) return { errors: error.faults.map(toListedFault) };
  if (!validation) return {};
  const place = context === 'body' ? 'body' : 'query';
  return {
    errors: (validation as Finding[]).map((finding) => ({
      ...toPlace(toPointer(finding), place),
      detail: validationMessage([finding], context),
      code: faultCodes[finding.keyword] ?? 'invalid',
    })),
  };
}

/** A part of the body, or the name of a parameter of the path or the query. */
function toPlace(pointer: string, place: 'query' | 'body'): Pick<ListedFault, 'pointer' | 'parameter'> {
  if (place === 'body') return { pointer };
  // A parameter that is repeated is a list, whose entries have the name of the parameter.
  const [, parameter = ''] = pointer.split('/');
  return { parameter: parameter.replaceAll('~1', '/').replaceAll('~0', '~') };
}

/** By the rule of the schema that was broken. */
const faultCodes: Readonly<Record<string, FaultCode>> = {
  required: 'required',
  minProperties: 'required',
  additionalProperties: 'unknown',
  type: 'wrong_type',
  enum: 'not_allowed',
  const: 'not_allowed',
  format: 'wrong_format',
  pattern: 'wrong_format',
  minimum: 'out_of_range',
  maximum: 'out_of_range',
  minLength: 'too_short',
  maxLength: 'too_long',
  minItems: 'too_few',
  maxItems: 'too_many',
  maxProperties: 'too_many',
  uniqueItems: 'repeated',
};

/** The operations' inputs are built as the bodies are, with names in camel case. */
function toListedFault({ entry, field, detail, code, isRepeated }: Fault): ListedFault {
  const name = field?.replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
  const steps = [entry?.of, entry?.index, name].filter((step) => step !== undefined);
  const pointer = steps.map((step) => `/${step}`).join('');
  if (code !== 'invalid_input') return { pointer, detail: toMessage(code, detail), code };
  return { pointer, detail, code: isRepeated ? 'repeated' : 'invalid' };
}
