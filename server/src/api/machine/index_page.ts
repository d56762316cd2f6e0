import { Type } from 'typebox';
import { route } from './route.ts';

const exampleInput = toInput('e-P3cv5CKCuT7nfV8-bipCIp6Jiy2Ej8_BPHHTMMU00');

/** docs/api.md#1-get-a-csrf-token: the page whose hidden input carries the CSRF token. */
export const indexPage = route({
  method: 'GET',
  path: '/',
  id: 'getIndexPage',
  summary: 'Get a CSRF token: the value of the hidden input `csrftoken`',
  authentication: 'account',
  response: {
    status: 200,
    description: 'The page.',
    schema: Type.String(),
    mediaType: 'text/html',
    example: exampleInput,
  },
  errors: [],
  async handle({ engines, actor, reply }) {
    const token = await engines.csrfTokens.mint(actor.accountId);
    return reply.type('text/html; charset=utf-8').send(page(actor.email, token));
  },
});

function page(email: string, token: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Waybill</title>
</head>
<body>
<main>
<h1>Waybill</h1>
<p>Signed in as ${escapeHtml(email)}.</p>
<p>Programs: send the value of the field <code>csrftoken</code> as the header <code>CSRF-Token</code>.</p>
<form>${toInput(token)}</form>
</main>
</body>
</html>
`;
}

function toInput(token: string): string {
  return `<input type="hidden" name="csrftoken" value="${escapeHtml(token)}">`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
