import './gesture.ts';
import './local-times.ts';
import './form-helpers.ts';
import './passkey.ts';
