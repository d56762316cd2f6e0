import type { JSX } from 'preact';

const shapes = {
  download: 'M12 4v11m-5-5 5 5 5-5M5 20h14',
  upload: 'M12 16V5M7 10l5-5 5 5M5 20h14',
  lock: 'M7 11V8a5 5 0 0 1 10 0v3M6 11h12a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1Z',
  person: 'M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-7.5 8.5c.6-3.7 3.4-5.5 7.5-5.5s6.9 1.8 7.5 5.5',
  clock: 'M12 7v5l3.5 2M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Z',
  question: 'M9.3 9.5a2.8 2.8 0 1 1 3.9 2.6c-.8.4-1.2.9-1.2 1.9M12 17.2v.1M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Z',
  stop: 'M5.7 5.7l12.6 12.6M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Z',
  alert: 'M12 8.5v4.5M12 16.7v.1M10.3 4.3 2.7 17.5a2 2 0 0 0 1.7 3h15.2a2 2 0 0 0 1.7-3L13.7 4.3a2 2 0 0 0-3.4 0Z',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  shield: 'M12 3.5l7 2.5v5.5c0 4.3-2.9 7.4-7 9-4.1-1.6-7-4.7-7-9V6ZM8.8 12l2.3 2.3 4.1-4.3',
  close: 'm6 6 12 12M18 6 6 18',
  pause: 'M9 6v12M15 6v12',
  play: 'm8 5.5 10 6.5-10 6.5Z',
  retry: 'M19.5 12a7.5 7.5 0 1 1-2.3-5.4M19.5 4v4h-4',
  send: 'M20.5 3.5 10 14M20.5 3.5l-6.7 17-3.8-6.5-6.5-3.8Z',
  mail: 'M4.5 6h15a1 1 0 0 1 1 1v10a1 1 0 0 1-1 1h-15a1 1 0 0 1-1-1V7a1 1 0 0 1 1-1ZM4 7.5l8 6 8-6',
  link: 'M10 14a4 4 0 0 0 5.7 0l3.1-3.1a4 4 0 0 0-5.7-5.7L12 6.3M14 10a4 4 0 0 0-5.7 0l-3.1 3.1a4 4 0 0 0 5.7 5.7l1.1-1.1',
  eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12ZM12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6Z',
  info: 'M12 11v5.5M12 7.7v.1M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Z',
  inbox: 'M3.5 13.5h5l1.5 3h4l1.5-3h5M6.5 5h11l3 8.5V18a1 1 0 0 1-1 1h-15a1 1 0 0 1-1-1v-4.5Z',
  folder: 'M3.5 6.5a1 1 0 0 1 1-1h5l2 2.5h8a1 1 0 0 1 1 1V18a1 1 0 0 1-1 1h-15a1 1 0 0 1-1-1Z',
  plus: 'M12 5.5v13M5.5 12h13',
  offline:
    'M4 4l16 16M8.5 14.6a5 5 0 0 1 5.2-1.1M5.2 11.3a9.6 9.6 0 0 1 4.2-2.4M13.5 8.6a9.6 9.6 0 0 1 5.3 2.7M12 18.2v.1',
  more: 'M5 12a.8.8 0 1 0 1.6 0 .8.8 0 0 0-1.6 0Zm6.2 0a.8.8 0 1 0 1.6 0 .8.8 0 0 0-1.6 0Zm6.2 0a.8.8 0 1 0 1.6 0 .8.8 0 0 0-1.6 0Z',
} as const;

export type IconName = keyof typeof shapes;

/** Hidden from screen readers, because the text beside it says the same. */
export function Icon({ name, small }: { name: IconName; small?: boolean }): JSX.Element {
  return (
    <svg
      class={`icon${small ? ' icon-small' : ''}`}
      viewBox="0 0 24 24"
      width="20"
      height="20"
      aria-hidden="true"
      focusable="false"
    >
      <path d={shapes[name]} />
    </svg>
  );
}
