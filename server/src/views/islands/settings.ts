import './frame.ts';
import './form-helpers.ts';
import './passkey.ts';
import './save-bar.ts';
import './kept-form.ts';
