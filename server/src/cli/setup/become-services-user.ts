const name = 'waybill';

/** Missing in the types of Node. */
type WithInitgroups = { initgroups(user: string, extraGroup: string): void };

/**
 * From now on, root acts as the services' user, if there is one: a login to PostgreSQL by the name of the system's
 * user, a socket or a file then works or fails as it will for the services.
 */
export function becomeServicesUser(): void {
  if (process.getuid?.() !== 0) return;
  if (!isThere(() => (process as unknown as WithInitgroups).initgroups(name, name))) return;
  process.setgid?.(name);
  process.setuid?.(name);
}

/** Logs in as the services will while it works, and is root again afterwards. */
export async function actAsServicesUser<Result>(work: () => Promise<Result>): Promise<Result> {
  if (process.getuid?.() !== 0 || !isThere(() => process.seteuid?.(name))) return await work();
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

/** Returns whether there is a user by this name, after the call that needs one. */
function isThere(call: () => void): boolean {
  try {
    call();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_UNKNOWN_CREDENTIAL') return false;
    throw error;
  }
}
