import { type ErrorCode, type Errors, errorCodes, errors } from '@waybill/protocol';
import { type Problem } from '@waybill/protocol/v1';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ExchangeError, type Fault } from '../../domain/exchange-error.ts';
import { refuse } from '../../http/shared/json-errors.ts';
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
  const { code, message, limits, maxBytes } = refuse(error, request, reply, {
    errors: v1Errors,
    challenge: 'Bearer realm="Waybill"',
  });
  reply.headers(rateLimitHeaders(limits));
  const problem: Problem = {
    type: `${publicUrl}${problemsPath}#${code}`,
    title: toTitle(code),
    status: v1Errors[code].status,
    detail: message === errors[code].message ? v1Errors[code].message : message,
    code,
    ...(maxBytes === undefined ? {} : { max_size: maxBytes }),
    instance: `urn:waybill:http-request:${request.id}`,
    ...toFaults(error),
  };
  return reply.type(problemType).send(JSON.stringify(problem));
}

/** `scope_missing` → "Scope missing". */
export function toTitle(code: ErrorCode): string {
  const words = code.replaceAll('_', ' ');
  return `${words[0]?.toUpperCase()}${words.slice(1)}`;
}

function toFaults(error: unknown): Pick<Problem, 'errors'> {
  const { validation, validationContext } = error as Partial<FastifyError>;
  const code = 'invalid_input';
  if (error instanceof InvalidParts) {
    return { errors: error.pointers.map((pointer) => ({ pointer, detail: error.detail, code })) };
  }
  if (error instanceof ExchangeError && error.faults.length > 0) return { errors: error.faults.map(toPointed) };
  if (!validation) return {};
  const toDetail = (finding: Finding) => validationMessage([finding], validationContext);
  return { errors: validation.map((finding) => ({ pointer: toPointer(finding), detail: toDetail(finding), code })) };
}

/** The operations' inputs are built as the bodies are, with names in camel case. */
function toPointed({ entry, field, detail, code }: Fault): NonNullable<Problem['errors']>[number] {
  const name = field?.replaceAll(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
  const steps = [entry?.of, entry?.index, name].filter((step) => step !== undefined);
  return { pointer: steps.map((step) => `/${step}`).join(''), detail, code };
}
