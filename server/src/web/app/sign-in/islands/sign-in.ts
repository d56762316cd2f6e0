import '../../../shared/islands/gesture.ts';
import '../../../shared/islands/local-times.ts';
import '../../islands/form-helpers.ts';
import '../../islands/passkey.ts';
