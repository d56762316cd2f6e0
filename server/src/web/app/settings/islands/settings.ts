import '../../islands/frame.ts';
import '../../islands/passkey.ts';
import './save-bar.ts';
import './kept-form.ts';
