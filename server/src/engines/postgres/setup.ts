import { DatabaseError } from 'pg';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { SetupError } from '../../domain/setup-error.ts';
import { RestoringError } from './database.ts';

/** No such database, no such role, a wrong password, or a role without permission to connect or to create tables. */
const refusals = new Set(['3D000', '28000', '28P01', '42501']);

/** Turns PostgreSQL's rejection of our settings into an error that names them. A database that is being restored is refused. */
export async function unlessRefused<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof ExchangeError && error.cause instanceof RestoringError) {
      throw new SetupError(error.cause.message, { cause: error });
    }
    // Once a process serves, a refusal may pass, and is an outage; when it starts, it is a wrong setting.
    const refusal = error instanceof ExchangeError ? error.cause : error;
    if (!(refusal instanceof DatabaseError) || !refusals.has(refusal.code ?? '')) throw error;
    throw new SetupError(
      `PostgreSQL refuses: ${refusal.message}. Correct WAYBILL_DATABASE_URL, or create the role and the database.`,
      { cause: error },
    );
  }
}
