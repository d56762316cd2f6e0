/** One request after another, each on its own connection. Prints its measurements when it is told to end. */
import { get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

const [url = ''] = process.argv.slice(2);
const headers = JSON.parse(process.env['PROBE_HEADERS'] ?? '{}') as Record<string, string>;
const times: number[] = [];
const failures: string[] = [];
process.on('SIGTERM', () => process.stdout.write(JSON.stringify({ times, failures }), () => process.exit(0)));

for (;;) {
  const began = performance.now();
  const outcome = await new Promise<string>((resolve) => {
    get(url, { headers, agent: false }, (response) => {
      response.resume().on('end', () => resolve(String(response.statusCode)));
    }).on('error', (error) => resolve(error.message));
  });
  if (outcome === '200') times.push(performance.now() - began);
  else failures.push(outcome);
  await pause(10);
}
