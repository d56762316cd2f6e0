import { ExchangeError } from '../../../domain/exchange-error.ts';
import { hasResponse, respondOnce } from '../../../domain/idempotency/respond-once.ts';
import { isUuid } from '../../../domain/is-uuid.ts';
import type { AppContext, AppEngines, Member } from './app-route.ts';

/** A form that does something once, however often its button is pressed. */
export interface OnceForm {
  readonly requestId: string;
  /** Of everything that was entered. */
  readonly digest: Buffer;
}

/** The id that the form brings, or another one. */
export function readRequestId({ engines }: AppContext, fields: URLSearchParams): string {
  const id = fields.get('request_id') ?? '';
  return isUuid(id) ? id : engines.random.uuid();
}

/**
 * Does what a form asks for, once for each request id. `prepare` checks the form, and returns what makes the changes and
 * finds the path of the page to show. A repetition is led to the same page.
 */
export async function doOnce(
  { engines, actor }: AppContext & Member,
  { requestId, digest }: OnceForm,
  prepare: () => Promise<(within: Pick<AppEngines, 'store'>) => Promise<string>>,
): Promise<{ readonly path: string; readonly isRepeated: boolean }> {
  const request = { api: 'app', idempotencyKey: `${actor.author.id} ${requestId}`, digest } as const;
  const respond = async (work: Awaited<ReturnType<typeof prepare>>) => {
    const { body, isRepeated } = await respondOnce(engines, actor, request, async (within) => ({
      status: 303,
      headers: {},
      body: await work(within),
    }));
    return { path: body, isRepeated };
  };
  const repeat = () =>
    respond(async () => {
      // The first response has been purged meanwhile.
      throw new ExchangeError('request_in_flight');
    });
  if (await hasResponse(engines, actor, request)) return await repeat();
  try {
    return await respond(await prepare());
  } catch (error) {
    // The first of two requests may have taken what the second needs, such as its uploads.
    if (error instanceof ExchangeError && (await hasResponse(engines, actor, request))) return await repeat();
    throw error;
  }
}
