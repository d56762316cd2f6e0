import { type ErrorCode, errorMessages } from '@waybill/protocol';
import { type Problem } from '@waybill/protocol/v1';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { refuse, statusOf } from '../json-errors.ts';
import { pointerOf, validationMessage } from '../validation-message.ts';
import { rateLimitHeaders } from './rate-limit.ts';

/** The status of every code on this surface. */
export const v1StatusOf: Record<ErrorCode, number> = { ...statusOf, idempotency_key_reused: 422 };

/** Where problems are explained. */
export const problemsPath = '/docs/problems';

const problemType = 'application/problem+json; charset=utf-8';

/** RFC 9457. */
export function answerProblem(publicUrl: string, error: unknown, request: FastifyRequest, reply: FastifyReply) {
  const { code, message, limits } = refuse(error, request, reply, {
    statusOf: v1StatusOf,
    challenge: 'Bearer realm="Waybill"',
  });
  reply.headers(rateLimitHeaders(limits));
  const problem: Problem = {
    type: `${publicUrl}${problemsPath}#${code}`,
    title: titleOf(code),
    status: v1StatusOf[code],
    detail: message === errorMessages[code] ? v1Messages[code] : message,
    code,
    instance: `urn:waybill:http-request:${request.id}`,
    ...faultsOf(error),
  };
  return reply.type(problemType).send(JSON.stringify(problem));
}

/** `scope_missing` → "Scope missing". */
export function titleOf(code: ErrorCode): string {
  const words = code.replaceAll('_', ' ');
  return `${words[0]?.toUpperCase()}${words.slice(1)}`;
}

/** What to do about each code on this surface. */
export const v1Messages: Record<ErrorCode, string> = {
  ...errorMessages,
  precondition_failed: 'It has changed since you read it. Read it again, and repeat the request with its new ETag.',
  unauthorized: 'Send a live API key as `Authorization: Bearer <key>`.',
};

function faultsOf(error: unknown): Pick<Problem, 'errors'> {
  const { validation, validationContext } = error as Partial<FastifyError>;
  if (error instanceof ExchangeError && error.faults.length > 0) return { errors: [...error.faults] };
  if (!validation) return {};
  const errors = validation.map((finding) => ({
    pointer: pointerOf(finding),
    detail: validationMessage([finding], validationContext),
    code: 'invalid_input',
  }));
  return { errors };
}
