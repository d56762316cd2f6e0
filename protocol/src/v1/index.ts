/** The wire of /api/v1. A schema has the same name here, in the OpenAPI document and in the SDK. */
export * from './account.ts';
export * from './api-key.ts';
export * from './contact.ts';
export * from './drop.ts';
export * from './event.ts';
export * from './file-request.ts';
export * from './inbox.ts';
export * from './link.ts';
export * from './page.ts';
export * from './problem.ts';
export * from './scope.ts';
export * from './sent.ts';
export * from './shared-link.ts';
export * from './test-message.ts';
export * from './upload.ts';
export * from './values.ts';
export * from './webhook.ts';
