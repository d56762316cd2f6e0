import type { FastifyReply } from 'fastify';
import { readPolicy } from '../../../domain/accounts/read-policy.ts';
import { findSentDrop } from '../../../domain/drops/find-sent-drops.ts';
import { undoSeconds } from '../../../domain/drops/revoke-drop.ts';
import type { SentDrop, SentId } from '../../../domain/drops/sent-drop-store.ts';
import { ExchangeError } from '../../../domain/exchange-error.ts';
import type { AppContext, AppRequest, Member, MemberVisit } from '../shared/app-route.ts';
import { readQueryFields } from '../shared/list-visit.ts';
import { readAddition } from './add-people.ts';
import { offerDeadlines } from './deadlines.ts';
import type { Task, TaskInput, TaskProblem } from './sent-task.tsx';

const inputFields = ['email', 'name', 'phone', 'date'] as const satisfies readonly (keyof TaskInput)[];

/** The drop or request that the path names, which exists and is the account's. */
export async function requireSent({ engines, actor, request }: MemberVisit, type: SentId['type']): Promise<SentDrop> {
  const { id } = request.params as { id: string };
  return findSentDrop(engines, actor, { type, dropId: id });
}

export function readPosition(text: string | null): number | undefined {
  return text !== null && /^\d{1,7}$/.test(text) ? Number(text) : undefined;
}

export function requirePosition({ request }: AppRequest): number {
  const position = readPosition((request.params as { position: string }).position);
  if (position === undefined) throw new ExchangeError('not_found');
  return position;
}

/** Reads the fields of a form; one that is empty is left out. */
export function readInput(form: URLSearchParams): TaskInput {
  return Object.fromEntries(inputFields.map((name) => [name, form.get(name)?.trim().slice(0, 254) || undefined]));
}

export function toReceiver({ email = '', name, phone }: TaskInput) {
  return { email, ...(name === undefined ? {} : { name }), ...(phone === undefined ? {} : { phone }) };
}

/** The rules for a new deadline of what was sent. */
export async function readRules({ engines, actor, person }: AppContext & Member, { expiresAt }: SentDrop) {
  const { lifetime } = await readPolicy(engines, actor.accountId);
  return { lifetime, now: new Date(), timeZone: person.timeZone, current: expiresAt };
}

/** Only the end of the whole can be undone. */
export function toRevocation(position: number | undefined) {
  return { what: 'revoke', position, undoSeconds: position === undefined ? undoSeconds : undefined } as const;
}

/** The form that the URL opens, if there is anything to change. */
export async function readTask(visit: MemberVisit, sent: SentDrop): Promise<Task | undefined> {
  if (!visit.canChange || sent.state !== 'live') return undefined;
  const fields = readQueryFields(visit);
  const position = readPosition(fields.get('receiver'));
  switch (fields.get('do') ?? '') {
    case 'add':
      return (await readAddition(visit, sent)).task;
    case 'extend':
      return { what: 'extend', choices: offerDeadlines(await readRules(visit, sent)) };
    case 'revoke':
      return toRevocation(position);
    case 'correct':
      return position === undefined ? undefined : { what: 'correct', position };
    case 'link':
      return { what: 'link', position };
    default:
      return undefined;
  }
}

/** Makes a change; if it is refused, `refuse` shows the form again with the reason. */
export async function attemptTask(
  task: Task,
  work: () => Promise<FastifyReply>,
  refuse: (refused: Task) => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await work();
  } catch (error) {
    const problem = error instanceof ExchangeError ? findProblem(error, task) : undefined;
    if (problem === undefined) throw error;
    return refuse({ ...task, problem });
  }
}

function findProblem({ code, faults }: ExchangeError, task: Task): TaskProblem | undefined {
  if (code === 'link_ended' || code === 'link_revoked') return 'ended';
  if (code === 'daily_limit' || code === 'too_many_messages') return 'limit';
  if (code === 'recipient_not_allowed') return 'notAllowed';
  if (code !== 'invalid_input') return undefined;
  if (task.what === 'extend') return 'date';
  const [first] = faults;
  if (first?.field === 'phone') return 'phone';
  if (first?.field !== 'email') return undefined;
  return first.isRepeated ? 'known' : 'email';
}
