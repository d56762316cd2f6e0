import { multipart, uploadParts } from './http/multipart.ts';
import type { RequestOptions } from './http/request.ts';

export interface Operation {
  name: string;
  method: 'GET' | 'POST';
  /** Below the account's path. */
  path: string;
  options: RequestOptions;
}

const jsonBody = (body: unknown): RequestOptions => ({
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});

const oneFile = multipart(uploadParts([{ name: 'note.txt', content: 'note' }]));

/** Operations 2 to 11 of docs/api.md#operations, each with a valid request. None of them is sent for its effect. */
export const guardedOperations: Operation[] = [
  { name: 'contacts_read.cgi', method: 'GET', path: 'cgi/contacts_read.cgi', options: {} },
  { name: 'contacts_add.cgi', method: 'POST', path: 'cgi/contacts_add.cgi', options: jsonBody([]) },
  { name: 'receivers_set.cgi', method: 'POST', path: 'cgi/receivers_set.cgi', options: jsonBody([]) },
  { name: 'get_files.cgi', method: 'GET', path: 'cgi/get_files.cgi', options: {} },
  { name: 'remove_file.cgi', method: 'GET', path: 'cgi/remove_file.cgi?filename=note.txt', options: {} },
  {
    name: 'upload.cgi',
    method: 'POST',
    path: 'cgi/upload.cgi',
    options: { headers: { 'Content-Type': oneFile.contentType }, body: oneFile.body },
  },
  { name: 'createdrop.cgi', method: 'POST', path: 'cgi/createdrop.cgi', options: jsonBody({}) },
  { name: 'givedrop.cgi', method: 'POST', path: 'cgi/givedrop.cgi', options: jsonBody({}) },
  { name: 'get_history.cgi', method: 'GET', path: 'cgi/get_history.cgi', options: {} },
  { name: 'download', method: 'GET', path: 'no-such-drop/files/note.txt', options: {} },
];
