import './frame.ts';
import './form-helpers.ts';
import './passkey.ts';
import './save-bar.ts';
