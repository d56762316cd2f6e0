import type { JSX } from 'preact';

/** The mark of a ticket on which nothing is left to do. The page's heading says the same to screen readers. */
export function Postmark({ reference }: { reference: string }): JSX.Element {
  const [, start = '', end = ''] = reference.split('-');
  return (
    <svg class="postmark" viewBox="0 0 136 96" aria-hidden="true">
      <path
        class="postmark-waves"
        d="M2 32q8-6 16 0t16 0 16 0M0 44q8-6 16 0t16 0 14 0M0 56q8-6 16 0t16 0 14 0M2 68q8-6 16 0t16 0 16 0"
      />
      <circle cx="90" cy="48" r="43" />
      <circle cx="90" cy="48" r="38.5" />
      <text x="90" y="31">
        {start}
      </text>
      <path class="postmark-tick" d="m77 50 9 9 18-19" />
      <text x="90" y="77">
        {end}
      </text>
    </svg>
  );
}
