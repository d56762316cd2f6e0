import { findHolders, listFollowedFiles } from '../../../domain/drops/find-sent-drops.ts';
import type { FollowedFile, FollowedReceiver, SentDrop } from '../../../domain/drops/sent-drop-store.ts';
import { listSharedLinkChoices, listSharedLinks } from '../../../domain/drops/shared-links.ts';
import type { AppContext, AppRoute, Member } from '../shared/app-route.ts';
import { readQueryFields } from '../shared/list-visit.ts';
import type { DropFile } from './drop-files.tsx';
import { DropPage, type DropPageProps, dropTitle, shownFiles } from './drop-page.tsx';
import { takePage } from './range-pager.tsx';
import { itemRoutes } from './sent-item-routes.tsx';
import { readPosition } from './sent-task-form.ts';

/** Names beside a file; the others are counted. */
const shownHolders = 2;

/** The page of one delivery, and what can be done with it. */
export const dropRoutes: readonly AppRoute[] = itemRoutes({
  screen: 'sent',
  readArrivals: async () => undefined,
  async toPage(visit, { item, receivers, links, ...about }) {
    const { engines, actor, translator } = visit;
    const fields = readQueryFields(visit);
    const after = { receiver: readPosition(fields.get('receivers')), file: fields.get('files') ?? undefined };
    const files = await listFollowedFiles(engines, actor.accountId, item.id);
    const sharedLinks = await listSharedLinks(engines, actor.accountId, item.id);
    const drop = { ...item, receiverCount: receivers.length, secondFactorRule: null };
    const props: DropPageProps = {
      ...about,
      sharedLinks: {
        links: sharedLinks,
        choices: await listSharedLinkChoices(engines, actor.accountId, drop, sharedLinks),
        shown: links,
      },
      item,
      receivers,
      files: await addHolders(visit, item, files, receivers, after.file),
      isJustSent: fields.get('sent') === '1',
      after,
    };
    return { title: dropTitle(translator, props), page: <DropPage {...props} /> };
  },
});

/** Says who has the files that the page shows. One who has everything need not be looked up file by file. */
async function addHolders(
  { engines, actor }: AppContext & Member,
  drop: Pick<SentDrop, 'id'>,
  files: readonly FollowedFile[],
  receivers: readonly FollowedReceiver[],
  after: string | undefined,
): Promise<DropFile[]> {
  const { items } = takePage(files, shownFiles, ({ id }) => id === after);
  const complete = receivers.filter(({ completedAt }) => completedAt !== null);
  const among = {
    fileIds: items.map(({ id }) => id),
    positions: receivers.filter(({ completedAt }) => completedAt === null).map(({ position }) => position),
  };
  const found = await findHolders(engines, actor.accountId, drop.id, among, shownHolders);
  const byFile = new Map(found.map((holders) => [holders.fileId, holders]));
  const byPosition = new Map(receivers.map((receiver) => [receiver.position, receiver]));
  const shown = new Set(among.fileIds);
  return files.map((file) => {
    if (!shown.has(file.id)) return file;
    const { deliveredCount = 0, partlyCount = 0, deliveredTo = [], partlyTo = [] } = byFile.get(file.id) ?? {};
    const others = deliveredTo.flatMap((position) => byPosition.get(position) ?? []);
    return {
      ...file,
      holders: {
        deliveredCount: complete.length + deliveredCount,
        deliveredTo: [...complete.slice(0, shownHolders), ...others].slice(0, shownHolders),
        partlyCount,
        partlyTo: partlyTo.flatMap(({ position, bytes }) => {
          const person = byPosition.get(position);
          return person ? [{ person, percent: Math.floor((bytes * 100) / file.sizeBytes) }] : [];
        }),
      },
    };
  });
}
