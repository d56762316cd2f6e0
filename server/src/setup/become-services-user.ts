const name = 'waybill';

/** Missing in the types of Node. */
type WithInitgroups = { initgroups(user: string, extraGroup: string): void };

/**
 * From now on, root acts as the services' user, if there is one: a login to PostgreSQL by the name of the system's
 * user, a socket or a file then works or fails as it will for the services.
 */
export function becomeServicesUser(): void {
  if (process.getuid?.() !== 0) return;
  try {
    (process as unknown as WithInitgroups).initgroups(name, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_UNKNOWN_CREDENTIAL') return;
    throw error;
  }
  process.setgid?.(name);
  process.setuid?.(name);
}
