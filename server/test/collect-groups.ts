/** Everything that groups of lines contain, in order. */
export async function collectGroups<Line>(groups: AsyncIterable<readonly Line[]>): Promise<Line[]> {
  const lines: Line[] = [];
  for await (const group of groups) lines.push(...group);
  return lines;
}
