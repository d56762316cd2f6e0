import { DatabaseError } from 'pg';
import { SetupError } from '../../domain/setup-error.ts';

/** No such database, no such role, a wrong password, or a role without permission to connect or to create tables. */
const refusals = new Set(['3D000', '28000', '28P01', '42501']);

/** Turns PostgreSQL's rejection of our settings into an error that names them. */
export async function unlessRefused<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (!(error instanceof DatabaseError) || !refusals.has(error.code ?? '')) throw error;
    throw new SetupError(
      `PostgreSQL refuses: ${error.message}. Correct WAYBILL_DATABASE_URL, or create the role and the database.`,
      { cause: error },
    );
  }
}
