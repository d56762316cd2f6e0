/** Whether requests to it cannot be read or changed on their way: HTTPS, or plain HTTP within this machine. */
export function isProtectedUrl({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && loopback.test(hostname));
}

/** A URL has every IPv4 address in its decimal form. */
const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
