/** The wire of the machine API, and the bounds and errors of both APIs; inside the package, files import each other directly. */
export * from './contact.ts';
export * from './csv.ts';
export * from './dispatch.ts';
export * from './errors.ts';
export * from './files.ts';
export * from './folder-key.ts';
export * from './history.ts';
export * from './limits.ts';
export * from './passkeys.ts';
export * from './patterns.ts';
export * from './safe-name.ts';
export * from './write-csv.ts';
