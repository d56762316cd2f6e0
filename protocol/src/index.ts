/** The package's only entry point; inside the package, files import each other directly. */
export * from './contact.ts';
export * from './dispatch.ts';
export * from './errors.ts';
export * from './files.ts';
export * from './history.ts';
export * from './limits.ts';
export * from './safe-name.ts';
export * from './v1/account.ts';
export * from './v1/drop.ts';
export * from './v1/event.ts';
export * from './v1/inbox.ts';
export * from './v1/key.ts';
export * from './v1/page.ts';
export * from './v1/problem.ts';
export * from './v1/scope.ts';
export * from './v1/upload.ts';
export * from './v1/webhook.ts';
