import type { JSX } from 'preact';
import { useSurroundings } from './page-context.ts';

/** The operator's logo, or the mark of Waybill. */
export function Logo(): JSX.Element {
  const { logo } = useSurroundings();
  return logo === undefined ? <Mark /> : <img class="logo" src={logo} alt="" height="28" />;
}

/** A sheet with its corner folded, and a W formed by its lines. */
function Mark(): JSX.Element {
  return (
    <svg class="mark" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
      <path class="mark-sheet" d="M7 3h13l6 6v18a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2V5a2 2 0 0 1 2-2Z" />
      <path class="mark-line" d="m9.5 14 3 9 3-7 3 7 3-9" />
    </svg>
  );
}
