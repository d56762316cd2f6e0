import { userInfo } from 'node:os';

/** Not always who typed the command: the installed `waybilld` runs as the services' user, also when root starts it. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container can run as a user who has no name.
    return `user ${process.getuid?.()}`;
  }
}
