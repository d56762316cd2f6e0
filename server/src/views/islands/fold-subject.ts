/** Beside the files there is room for all of the subject; above them there is not. */
const beside = matchMedia('(min-width: 64rem)');

/**
 * Folds the message and the deadline on a small screen as soon as files were chosen: the files are what matters then.
 * The returned function shows them again.
 */
export function foldSubject(isFolded: boolean): () => void {
  const subject = document.querySelector<HTMLDetailsElement>('.subject-details');
  const fold = () => {
    if (subject) subject.open = !isFolded || beside.matches;
  };
  subject?.classList.toggle('can-fold', isFolded);
  fold();
  beside.addEventListener('change', fold);
  return () => beside.removeEventListener('change', fold);
}
