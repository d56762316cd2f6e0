/**
 * Shows the list as soon as something is chosen above it. With the arrow keys, every option on the way would load the list
 * again: there, Enter sends the choice, or the button that appears beside it.
 */
let isWalking = false;

const findChoice = (event: Event) =>
  event.target instanceof HTMLSelectElement && 'sends' in event.target.dataset ? event.target : undefined;

document.addEventListener('keydown', (event) => {
  const choice = findChoice(event);
  if (!choice) return;
  if (event.key === 'Enter' && isWalking) choice.form?.requestSubmit();
  isWalking = event.key !== 'Enter';
});
document.addEventListener('pointerdown', () => {
  isWalking = false;
});
document.addEventListener('change', (event) => {
  if (!isWalking) findChoice(event)?.form?.requestSubmit();
});
